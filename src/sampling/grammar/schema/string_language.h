// Strings as regular languages: of what stands between the quotes of a JSON string, each character spelled in one way.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sampling/grammar/code_points.h"
#include "sampling/grammar/regex_set.h"

namespace skald {

/// Every character has one spelling here: itself in UTF-8, or the shortest escape where JSON wants one. So a set of strings
/// and the set of their spellings are one thing, and intersections and complements of languages are those of sets.
class StringLanguage {
 public:
  explicit StringLanguage(RegexSet& regexes);

  RegexId all() const { return all_; }                         // every string
  RegexId any_character() const { return any_; }               // every string of one character
  RegexId characters(std::span<const CodePointRange> ranges);  // strings of one character of the ranges
  RegexId text(std::string_view utf8);                         // one string
  RegexId texts(std::span<const std::string> utf8);            // these strings
  RegexId both(RegexId a, RegexId b);
  RegexId either(RegexId a, RegexId b);
  RegexId minus(RegexId a, RegexId b);
  RegexId complement(RegexId strings) { return minus(all_, strings); }
  RegexId length(int64_t min, int64_t max);  // in characters; max < 0: no upper bound

  /// A JSON string, quotes included; all() in any spelling that JSON has, but no lone surrogates.
  RegexId quoted(RegexId strings);
  /// The same, each character in one spelling.
  RegexId quoted_plainly(RegexId strings);
  /// The strings themselves, as UTF-8.
  RegexId unquoted(RegexId strings);

 private:
  RegexId any_spelling();

  RegexSet& regexes_;
  RegexId any_, all_;
};

/// What stands between the quotes of the string, as StringLanguage spells it.
std::string spelled(std::string_view utf8);

}  // namespace skald
