// FillTokens: the tokens by which models that fill in the middle of a text know its parts.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "skald/types.h"

namespace skald {

struct FillTokens {
  std::optional<TokenId> prefix, suffix, middle;  // come before the text in front of the gap, after it, and in it
  std::optional<TokenId> pad, repository, file;   // the latter two come before names

  /// Returns whether prompts for filling in can be made.
  bool complete() const { return prefix && suffix && middle; }
};

/// One of them, and how files tell of it.
struct FillToken {
  std::optional<TokenId> FillTokens::*field;
  std::string_view key, old_key;            // tokenizer.ggml.KEY_token_id; old_key: empty, or that of older files
  std::span<const std::string_view> names;  // its spellings, for files without the key
  bool ends;                                // nothing that belongs to an answer follows it
};
std::span<const FillToken> fill_tokens();

}  // namespace skald
