#include "loading/unread_keys.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/log.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr size_t kNamed = 8;

// Below "<arch>.": words about how the file was made, and sizes that the tensors say.
constexpr std::array<std::string_view, 7> kHarmlessOfModels = {
    "tensor_data_layout",   "rope.scaling.finetuned",
    "rope.dimension_count",  // of families without RoPE
    "dense_2_feat_in",      "dense_2_feat_out",       "dense_3_feat_in", "dense_3_feat_out",
};

// Below "<arch>.": keys that repeat another.
struct Twice {
  std::string_view key, other;
};
constexpr std::array kTwice = {
    Twice{"attention.layer_norm_epsilon", "attention.layer_norm_rms_epsilon"},
    Twice{"attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon"},
    Twice{"attention.key_length_swa", "attention.key_length"},
    Twice{"attention.value_length_swa", "attention.value_length"},
    Twice{"rope.dimension_count_swa", "rope.dimension_count"},
};

bool says_the_same(const Meta& meta, const std::string& prefix, std::string_view key) {
  return std::ranges::any_of(kTwice, [&](const Twice& t) {
    const MetaValue* other = t.key == key ? meta.peek(prefix + std::string(t.other)) : nullptr;
    return other && *other == *meta.peek(prefix + std::string(key));
  });
}

std::vector<std::string_view> without(std::vector<std::string_view> keys, size_t prefix,
                                      std::span<const std::string_view> harmless) {
  std::erase_if(keys, [&](std::string_view key) { return std::ranges::count(harmless, key.substr(prefix)) > 0; });
  return keys;
}

// Below "tokenizer.ggml.": the keys of the file's other kinds of tokenizers, and tokens for uses that are not text.
constexpr std::string_view kTokenizer = "tokenizer.ggml.";
constexpr std::array<std::string_view, 12> kHarmlessOfTokenizers = {
    "pre",
    "scores",
    "merges",
    "token_type_count",
    "unknown_token_id",
    "padding_token_id",
    "seperator_token_id",
    "separator_token_id",
    "cls_token_id",
    "mask_token_id",
    "bos_token_id",
    "eos_token_id",
};

bool is_false(const MetaValue* value) {
  const bool* flag = value ? std::get_if<bool>(value) : nullptr;
  return flag && !*flag;
}

}  // namespace

std::vector<std::string_view> unread_tokenizer_keys(const Meta& meta) {
  std::vector<std::string_view> keys = without(meta.unread(kTokenizer), kTokenizer.size(), kHarmlessOfTokenizers);
  std::erase_if(keys, [&](std::string_view key) { return is_false(meta.peek(key)); });
  return keys;
}

std::vector<std::string_view> unread_model_keys(const Meta& meta, const std::string& arch) {
  const std::string prefix = arch + ".";
  std::vector<std::string_view> keys = without(meta.unread(prefix), prefix.size(), kHarmlessOfModels);
  std::erase_if(keys, [&](std::string_view key) { return says_the_same(meta, prefix, key.substr(prefix.size())); });
  return keys;
}

void warn_of_unread(const std::vector<std::string_view>& keys, std::string_view who) {
  if (keys.empty()) return;
  log(LogLevel::kWarn, "the file has {} that {} does not read: {}", keys.size() == 1 ? "a key" : "keys", who,
      some_of(keys, kNamed));
}

}  // namespace skald
