#include "text/chat/family_template.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

namespace skald {
namespace {

// A format, the architectures that use it, and the tokens that must be there for it. The first that fits is taken; no
// architecture: any.
struct FamilyFormat {
  std::string_view name;
  std::vector<std::string_view> architectures, tokens;
};

const std::vector<FamilyFormat>& family_formats() {
  static const std::vector<FamilyFormat> all = {
      {"gemma", {"gemma", "gemma2", "gemma3"}, {"<start_of_turn>", "<end_of_turn>"}},
      {"llama4", {"llama4"}, {"<|header_start|>", "<|header_end|>", "<|eot|>"}},
      {"llama3", {"llama"}, {"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"}},
      {"phi4", {"phi3"}, {"<|im_start|>", "<|im_sep|>", "<|im_end|>"}},
      {"phi3", {"phi3", "llama"}, {"<|user|>", "<|assistant|>", "<|end|>"}},
      {"command-r", {"command-r", "cohere2"}, {"<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>"}},
      {"granite-4.0", {"granite", "granitemoe", "granitehybrid"}, {"<|start_of_role|>", "<|end_of_role|>"}},
      {"deepseek3",
       {"deepseek2"},
       {"<\xEF\xBD\x9CUser\xEF\xBD\x9C>",
        "<\xEF\xBD\x9C"
        "Assistant\xEF\xBD\x9C>"}},
      {"chatglm4", {"chatglm", "glm4"}, {"<|user|>", "<|assistant|>", "[gMASK]", "<sop>"}},
      {"gpt-oss", {"gpt-oss"}, {"<|start|>", "<|message|>", "<|channel|>"}},
      {"kimi-k2", {"deepseek2"}, {"<|im_middle|>", "<|im_user|>", "<|im_assistant|>"}},
      {"chatml", {}, {"<|im_start|>", "<|im_end|>"}},
  };
  return all;
}

std::unordered_set<std::string_view> pieces_of(const Meta& meta) {
  const MetaValue* value = meta.peek("tokenizer.ggml.tokens");
  const MetaArray* array = value ? std::get_if<MetaArray>(value) : nullptr;
  const auto* pieces = array ? std::get_if<std::vector<std::string>>(&array->items) : nullptr;
  if (!pieces) return {};
  return {pieces->begin(), pieces->end()};
}

}  // namespace

std::string_view family_template(const Meta& meta) {
  const MetaValue* value = meta.peek("general.architecture");
  const auto* architecture = value ? std::get_if<std::string>(value) : nullptr;
  const std::unordered_set<std::string_view> pieces = pieces_of(meta);
  for (const FamilyFormat& format : family_formats()) {
    const bool member =
        format.architectures.empty() ||
        (architecture && std::ranges::find(format.architectures, *architecture) != format.architectures.end());
    if (member && std::ranges::all_of(format.tokens, [&](std::string_view token) { return pieces.contains(token); }))
      return format.name;
  }
  return {};
}

}  // namespace skald
