// How SchemaWriter writes values: as JSON, or as formats of tool calls have it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sampling/grammar/schema/formulas.h"
#include "sampling/grammar/schema/pieces.h"
#include "sampling/grammar/schema/string_language.h"
#include "skald/grammar_params.h"

namespace skald {

struct ValueNotation {
  RegexId gap = RegexSet::kEmpty;  // anywhere between parts
  RegexId comma, colon;            // with what may stand around them
  std::string_view null = "null", no = "false", yes = "true";
  std::function<RegexId(RegexId strings)> text;  // sets of strings are StringLanguage's
  std::function<RegexId(RegexId keys)> key;
};

/// `strings` must outlive what is given.
ValueNotation json_notation(RegexSet& regexes, StringLanguage& strings, JsonWhitespace whitespace);
/// Python's literals: True, and texts in double quotes.
ValueNotation python_notation(RegexSet& regexes, StringLanguage& strings);
/// Gemma's: texts as they are between `quote`s, keys without. `quote_text`: what no text may have in it.
ValueNotation gemma_notation(RegexSet& regexes, StringLanguage& strings, RegexId quote, std::string_view quote_text);

/// Texts of at least a byte without these bytes, and without white space at their ends.
RegexId bare_text(RegexSet& regexes, std::string_view never);

/// How the members of an object are written one by one.
struct MemberNotation {
  Piece comma, gap;  // between members; after the last one
  RegexId keys;      // strings that a key can be
  /// A member whose key is one of `keys`: this one, or nullptr for those that no property has.
  std::function<Piece(const std::string* key, RegexId keys, FormulaId value)> member;
};

}  // namespace skald
