// Flags of llama.cpp that have no meaning here: which are taken where the answer is the same without them, and why the
// others are refused.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skald {

class FlagTable;

struct LlamaFlag {
  enum class Value { kNone, kOne, kMaybe };  // how many words follow; kMaybe: one, if it does not begin with a dash
  enum class Else { kSay, kRefuse };         // what happens for another value

  std::string_view names;  // "-ngl,--gpu-layers,--n-gpu-layers"
  Value value;
  std::string_view same;  // values with which nothing is different, separated by spaces; "*": all
  Else otherwise;
  std::string_view why;            // what is said then
  std::string_view variable = {};  // of the environment
  std::string_view takes = {};     // all values that there are, separated by spaces; N: a whole number; empty: any
};

/// Commands that compute with a model are what people of llama.cpp give its flags to.
bool takes_llama_flags(const FlagTable& table);

/// Null where llama.cpp has no such flag, or where Skald has it itself.
const LlamaFlag* find_llama_flag(std::string_view name);
std::span<const LlamaFlag> llama_flags();

/// Takes the flag as it was written: says nothing, or a line on stderr, or throws UsageError. `written`: with its value,
/// or the variable that it came from. What is refused in the environment, which other programs share, is said.
void take_llama_flag(const LlamaFlag& flag, std::string_view command, const std::string& written, std::string_view value,
                     bool from_environment = false);

}  // namespace skald
