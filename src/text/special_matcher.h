// SpecialMatcher: finds the leftmost, longest special piece in a text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "skald/types.h"

namespace skald {

class SpecialMatcher {
 public:
  struct Match {
    size_t begin, end;  // bytes of the text
    TokenId id;
  };

  /// `piece` must outlive the matcher. Empty pieces and those of more than 256 bytes are never found: the bound keeps
  /// hostile vocabularies from making the search slow.
  void add(std::string_view piece, TokenId id);
  /// Call once after the last add(); of equal pieces the one added last counts.
  void build();

  /// The first match at or after `from`: the longest one there that `takes` (where it is given) accepts.
  using Takes = std::function<bool(const Match&)>;
  std::optional<Match> find(std::string_view text, size_t from, const Takes& takes = {}) const;

 private:
  struct Entry {
    std::string_view piece;
    TokenId id;
  };
  std::optional<Match> match_at(std::string_view text, size_t at, const Takes& takes) const;

  std::vector<Entry> entries_;              // sorted by piece
  std::array<uint32_t, 257> first_byte_{};  // entries_ of first byte b: [first_byte_[b], first_byte_[b + 1])
};

}  // namespace skald
