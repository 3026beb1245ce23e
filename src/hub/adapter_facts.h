// The model that an adapter (LoRA) is for, as its files tell it. They are not trusted: too long or broken ones tell nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skald {

struct AdapterFacts {
  std::string base = {};  // by name: "meta-llama/Llama-3.2-1B"; empty: the files do not say. Any bytes may be in it
  std::string arch = {};  // of a GGUF file: "llama"
};

/// Returns the facts of a GGUF file or of a folder of PEFT; nullopt for a path that is no adapter. Reads the beginnings of
/// files only. In a folder adapter_config.json counts first, and then the card (README.md).
std::optional<AdapterFacts> adapter_facts(const std::string& path);

/// Returns `base_model` of a card's YAML head, the first of several. Empty where there is none.
std::string card_base(std::string_view card);

/// Describes it on a line that is safe to show: "an adapter (LoRA) for meta-llama/Llama-3.2-1B".
std::string description(const AdapterFacts& facts);

/// Returns the base as a word of a command. It is "MODEL" unless the base is a name of a hub: a shell takes others apart.
std::string base_word(const AdapterFacts& facts);

}  // namespace skald
