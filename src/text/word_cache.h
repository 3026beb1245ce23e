// WordCache: the tokens of words seen before, since text repeats its words. Made for one call, so it needs no lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "skald/types.h"

namespace skald {

/// Direct-mapped and of fixed size; long words are not kept.
class WordCache {
 public:
  /// `text_bytes`: how much text is to come; short ones are not worth much memory.
  explicit WordCache(size_t text_bytes);

  /// Appends the word's tokens; false when they are not known.
  bool append(std::string_view word, std::vector<TokenId>& out) const;
  void put(std::string_view word, std::span<const TokenId> ids);

 private:
  static constexpr size_t kMaxBytes = 24, kMaxIds = 9;
  struct Entry {
    std::array<char, kMaxBytes> word{};
    uint16_t bytes = 0, count = 0;  // bytes 0: free
    std::array<TokenId, kMaxIds> ids{};
  };
  size_t slot(std::string_view word) const;

  std::vector<Entry> entries_;  // a power of two
};

}  // namespace skald
