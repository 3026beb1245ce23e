// Lora: a loaded adapter, a low-rank change of a model's weights (arXiv 2106.09685). Cheap to copy; engines share it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "skald/lora_file.h"
#include "skald/model.h"
#include "skald/types.h"

#pragma GCC visibility push(default)
namespace skald {

struct LoadedLora;

class Lora {
 public:
  /// Loads a GGUF file as llama.cpp has them, or a folder of PEFT. Throws Error naming the file and its fault: another
  /// architecture, a tensor that the model lacks or that has another shape there, a model in its place.
  static Lora load(const Model& model, const std::string& path);

  const std::string& name() const;  // of its file
  const std::string& path() const;
  const std::string& base() const;           // the model that it was made for; empty: its file does not say
  const std::string& task() const;           // that it was trained for; empty likewise
  const std::string& prompt_prefix() const;  // how its prompts begin; empty likewise
  /// Returns the tokens after which it acts: where the prompt has them last. Empty: it acts on all tokens.
  const std::vector<TokenId>& invocation() const;
  int64_t rank() const;   // the largest of its matrices
  int64_t bytes() const;  // of its matrices

  const std::shared_ptr<const LoadedLora>& loaded() const { return loaded_; }

 private:
  explicit Lora(std::shared_ptr<const LoadedLora> loaded) : loaded_(std::move(loaded)) {}
  std::shared_ptr<const LoadedLora> loaded_;
};

/// Names an adapter, and how much of its change counts.
struct LoraUse {
  Lora lora;
  float scale = 1;  // finite; 0: none of it
};

}  // namespace skald
#pragma GCC visibility pop
