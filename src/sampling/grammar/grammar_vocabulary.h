// GrammarVocabulary: the tokens of a model as masks see them: tries of their texts, by slices.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/grammar/marker_spelling.h"
#include "sampling/grammar/token_slices.h"
#include "sampling/grammar/token_trie.h"
#include "skald/types.h"

namespace skald {

class Tokenizer;

/// Immutable: any thread may read.
class GrammarVocabulary {
 public:
  /// The text of token i is texts[i]; one without a text is never part of a text. `ends`: the tokens that end it.
  explicit GrammarVocabulary(std::vector<std::string> texts, std::vector<TokenId> ends = {}, MarkerSpelling markers = {});
  /// Of a tokenizer, which must outlive this: what tokens add to a text, none for unknown and unused ones. Control tokens
  /// are as MarkerSpelling has them.
  static std::shared_ptr<const GrammarVocabulary> of(const Tokenizer& tokenizer);

  const std::string& text(TokenId token) const { return texts_[static_cast<size_t>(token)]; }
  std::span<const TokenId> ends() const { return ends_; }
  const MarkerSpelling& markers() const { return markers_; }
  size_t tokens() const { return same_.size(); }
  /// Words of a mask: a bit per token.
  size_t words() const { return (tokens() + 31) / 32; }
  const TokenTrie& trie(size_t slice) const { return tries_[slice]; }
  size_t depth() const { return depth_; }
  /// A bit for each token of an alphabet that has at most this many characters (1 to kMaxSliceCharacters) and is not long.
  std::span<const uint32_t> up_to(size_t alphabet, size_t characters) const { return masks_[alphabet][characters - 1]; }
  /// Sets the bits of the token and of all others with its text.
  void set(std::span<uint32_t> mask, TokenId token) const {
    for (; token >= 0; token = same_[static_cast<size_t>(token)]) mask[static_cast<size_t>(token) / 32] |= 1u << token % 32;
  }

 private:
  void add_up_masks();

  std::vector<std::string> texts_;
  std::vector<TokenId> ends_;
  MarkerSpelling markers_;
  std::array<TokenTrie, kTokenSlices> tries_;
  std::array<std::array<std::vector<uint32_t>, kMaxSliceCharacters>, kTokenAlphabets> masks_;
  std::vector<TokenId> same_;  // the next token with the same text; negative: none
  size_t depth_ = 0;
};

}  // namespace skald
