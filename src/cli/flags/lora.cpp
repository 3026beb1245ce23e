#include "cli/flags/lora.h"

#include <filesystem>
#include <string_view>

#include "cli/flags/hub.h"
#include "cli/flags/values.h"

namespace skald {
namespace {

// A name with a comma is taken as it is where there is such a file.
std::vector<std::string> names_of(std::string_view flag, const std::string& list) {
  std::error_code ignored;
  return std::filesystem::exists(list, ignored) ? std::vector{list} : comma_list(flag, list);
}

LoraFile with_scale(const std::string& word) {
  const auto [name, scale] = scaled_file("--lora-scaled", word);
  return {.path = find_adapter(name), .scale = scale};
}

}  // namespace

void LoraFlags::declare(Flags& flags) {
  flags.group("Adapters (LoRA)");
  declare_files(flags);
  flags.add("--lora-merge", merge,
            "add them to the weights while the model is loaded: takes memory and time then, and none while it computes");
}

void LoraFlags::declare_files(Flags& flags) {
  flags.add("--lora", plain,
            "adapter of the model: a GGUF file, a folder of PEFT, or the name of one that skald pull got; several: their "
            "changes add up",
            "FILE[,FILE...]");
  flags.add("--lora-scaled", scaled, "the same with a factor of its change; 0: none of it", "FILE:SCALE[,...]");
}

std::vector<LoraFile> LoraFlags::files() const {
  std::vector<LoraFile> out;
  for (const std::string& list : plain)
    for (const std::string& name : names_of("--lora", list)) out.push_back({.path = find_adapter(name)});
  for (const std::string& list : scaled)
    for (const std::string& word : names_of("--lora-scaled", list)) out.push_back(with_scale(word));
  return out;
}

}  // namespace skald
