// TextIndex: where the last tokens of a text stood before, in it or in another one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skald/types.h"

namespace skald {

/// Tokens, and chains of the places after like runs of them, the latest first (as in Deutsch, RFC 1951, section 4).
class TextIndex {
 public:
  /// A place after tokens that are those at a text's end.
  struct Match {
    int64_t at = 0;
    int64_t length = 0;  // of these tokens; 0: there is no such place
  };
  static constexpr int64_t kLeastMatch = 2, kMostMatch = 64;

  void append(std::span<const TokenId> tokens);
  std::span<const TokenId> tokens() const { return tokens_; }
  /// Returns the place that a token follows after the longest such run; the latest of several.
  Match find(std::span<const TokenId> text) const;

 private:
  size_t bucket(std::span<const TokenId> tokens, int64_t end) const;
  void add_place(int64_t at);
  void grow();

  std::vector<TokenId> tokens_;
  std::vector<int32_t> latest_;  // (buckets, a power of two): the last place of each; 0: none
  std::vector<int32_t> before_;  // (tokens): the one before a place in its bucket
};

}  // namespace skald
