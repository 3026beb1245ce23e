// Anchored: what an expression with anchors matches, apart for each place that it can stand at.
#pragma once

#include <array>
#include <span>

#include "sampling/grammar/regex_set.h"

namespace skald {

/// Where a match begins and ends: whether its first position is the text's beginning, its last one the text's end. A match
/// of nothing is told apart from others, since only it leaves the position where it is.
struct Anchored {
  struct Place {
    bool at_begin, at_end;
    size_t index() const { return static_cast<size_t>(at_begin) * 2 + static_cast<size_t>(at_end); }
  };
  static constexpr std::array<Place, 4> kPlaces = {{{false, false}, {false, true}, {true, false}, {true, true}}};

  std::array<bool, 4> empty{};     // whether nothing can be matched there
  std::array<RegexId, 4> texts{};  // the texts of at least a byte

  bool empty_at(bool at_begin, bool at_end) const { return empty[Place{at_begin, at_end}.index()]; }
  RegexId texts_at(bool at_begin, bool at_end) const { return texts[Place{at_begin, at_end}.index()]; }
  /// If the match is the whole text.
  RegexId whole(RegexSet& regexes) const;

  static Anchored begin();
  static Anchored end();
  /// Of an expression without anchors.
  static Anchored plain(RegexSet& regexes, RegexId regex);
  static Anchored concat(RegexSet& regexes, const Anchored& a, const Anchored& b);
  static Anchored any_of(RegexSet& regexes, const Anchored& a, const Anchored& b);
  /// max < 0: no upper bound. Throws kBadInput for bounds above 1000: each round is written out.
  static Anchored repeat(RegexSet& regexes, const Anchored& a, int64_t min, int64_t max);
};

}  // namespace skald
