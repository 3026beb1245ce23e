// Regular expressions as people write them, as languages of a RegexSet.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "sampling/grammar/regex_set.h"

namespace skald {

enum class RegexDialect : uint8_t {
  kPython,  // "." is any character but line feed; \d \w \s are ASCII
  kEcma,    // ECMA-262 with the flag u, as JSON schemas have it: "." leaves out all ends of lines; \s is Unicode's
};

/// One character of the ranges, as the text spells it: UTF-8, or with the escapes of JSON.
using SpellCharacter = std::function<RegexId(RegexSet&, std::span<const CodePointRange>)>;

struct RegexOptions {
  RegexDialect dialect = RegexDialect::kPython;
  /// The expression may match anywhere in the text, rather than the whole text.
  bool search = false;
  /// None: UTF-8.
  SpellCharacter spell = {};
};

/// The texts that the expression matches. Throws Error: kBadInput, with the place, for wrong syntax; kUnsupported for what
/// is no regular language or not read here: look-around, back-references, word boundaries, named where it stands.
RegexId parse_regex(RegexSet& regexes, std::string_view expression, const RegexOptions& options = {});

}  // namespace skald
