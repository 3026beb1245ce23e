// TokenRules: how the added tokens of Hugging Face's tokenizers are found in a text. GGUF has no keys for them; these are
// Skald's own.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/meta.h"

namespace skald {

struct TokenRules {
  bool lstrip = false, rstrip = false;  // the white space before or after it belongs to it
  bool single_word = false;             // it is none beside a letter or a digit
  bool normalized = false;              // it is looked for when the text has been normalized, after all others

  friend bool operator==(const TokenRules&, const TokenRules&) = default;
};

struct TokenRuleKey {
  std::string_view name;  // in Hugging Face's files
  bool TokenRules::*rule;
  /// Returns an array of the ids that have the rule.
  std::string key() const { return "tokenizer.ggml.added_tokens." + std::string(name); }
};
inline constexpr std::array kTokenRuleKeys = {
    TokenRuleKey{"lstrip", &TokenRules::lstrip}, TokenRuleKey{"rstrip", &TokenRules::rstrip},
    TokenRuleKey{"single_word", &TokenRules::single_word}, TokenRuleKey{"normalized", &TokenRules::normalized}};

/// A flag: normalizing puts a space before the text and spells it as pieces do. A normalized token is then one after a space
/// only, which belongs to it.
inline constexpr const char* kSpaceFirstKey = "tokenizer.ggml.added_tokens.space_first";

/// Reads the rules of `n` pieces; nullopt where the file has no such key. Throws kBadFile naming the key for an id that is
/// none.
std::optional<std::vector<TokenRules>> read_token_rules(const Meta& meta, size_t n);

/// Returns whether a file without such keys is of a model whose special tokens are known to strip: Phi-3, as llama.cpp has
/// it.
bool strips_by_name(const Meta& meta);

}  // namespace skald
