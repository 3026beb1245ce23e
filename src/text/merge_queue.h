// The merging that both kinds of BPE share: always the best-ranked neighbours first, in O(n log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "skald/types.h"

namespace skald {

/// The merges of neighbours: an open-addressing table from a pair of ids to its rule.
class MergeTable {
 public:
  struct Rule {
    int32_t rank;    // lower merges first; equal ranks merge from the left
    TokenId result;  // never negative
  };

  /// Room for `count` rules without growing.
  void reserve(size_t count);
  /// Keeps the rule that is already there for a pair.
  void add(TokenId left, TokenId right, Rule rule);
  /// Returns nullptr where the two do not merge, or one is negative.
  const Rule* find(TokenId left, TokenId right) const noexcept;
  size_t size() const { return count_; }

 private:
  struct Slot {
    TokenId left = -1, right = -1;  // left < 0: free
    Rule rule{};
  };
  size_t start(TokenId left, TokenId right) const noexcept;
  void grow(size_t slots);

  std::vector<Slot> slots_;  // a power of two, at most half full
  size_t count_ = 0;
};

/// A text on its way to tokens: symbols as a list, in place.
struct Symbol {
  TokenId id;          // -1: nothing that could merge
  int32_t begin;       // of its bytes in the text; they end where the next symbol's begin
  int32_t prev, next;  // indices, -1 at the ends
};

class Merger {
 public:
  std::vector<Symbol> symbols;  // fill with add(), then run(); walk from 0 along `next`

  void clear() { symbols.clear(); }
  void add(TokenId id, size_t begin);
  void run(const MergeTable& table);

 private:
  // A candidate pair as one number: its rank above the index of its left symbol. So the smallest is the next to merge, and
  // comparing and moving candidates is cheap.
  using Candidate = uint64_t;
  void push(const MergeTable& table, int32_t left);

  std::vector<Candidate> first_, heap_;  // those of the text as it comes, sorted; and those that merging brings up
};

}  // namespace skald
