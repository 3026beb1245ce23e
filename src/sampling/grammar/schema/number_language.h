// Numbers as regular languages: sets of values, given by their spellings without exponents.
#pragma once

#include <cstdint>

#include "sampling/grammar/regex_set.h"
#include "sampling/grammar/schema/decimal.h"

namespace skald {

/// How much of the negative or positive numbers a set has.
enum class Share : uint8_t { kNone, kSome, kAll };

/// A set of numbers. `plain`: every spelling -?digits(.digits)? of every number in it, so that set operations are those of
/// languages. Numbers with exponents are no regular language but where all numbers of a sign are in the set: hence the
/// shares.
struct NumberSet {
  RegexId plain;
  Share negative = Share::kNone, positive = Share::kNone;  // zero is neither
  bool terse = false;  // a list or grid of numbers, which are spelled without zeros at the end
  friend bool operator==(const NumberSet&, const NumberSet&) = default;
};

class NumberLanguage {
 public:
  explicit NumberLanguage(RegexSet& regexes);

  NumberSet none() const { return {.plain = RegexSet::kNothing}; }
  NumberSet all() const { return {all_, Share::kAll, Share::kAll}; }
  NumberSet integers() const { return {integers_, Share::kSome, Share::kSome}; }
  NumberSet at_least(const Decimal& bound, bool or_equal = true);
  NumberSet at_most(const Decimal& bound, bool or_equal = true);
  NumberSet only(const Decimal& value);
  /// Throws kUnsupported where the automaton would be too large. `step` > 0.
  NumberSet multiples_of(const Decimal& step);

  NumberSet both(const NumberSet& a, const NumberSet& b);
  NumberSet either(const NumberSet& a, const NumberSet& b);
  NumberSet complement(const NumberSet& a);

  /// The set as JSON numbers: integers without point or exponent, others with zeros at the end too unless terse.
  RegexId spelled(const NumberSet& set);

 private:
  RegexId magnitudes_above(const Decimal& bound, bool or_equal);
  RegexId fractions_above(const std::string& digits, bool or_equal);
  RegexId with_signs(RegexId positive, RegexId negative);
  RegexId digits(int64_t min, int64_t max);
  RegexId with_exponents(bool negative);

  RegexSet& regexes_;
  RegexId digit_, nonzero_;   // one of them
  RegexId magnitudes_, all_;  // without and with a sign
  RegexId integers_, integers_spelled_, terse_;
};

}  // namespace skald
