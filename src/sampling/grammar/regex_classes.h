// Which characters the classes of regular expressions have.
#pragma once

#include <string_view>

#include "sampling/grammar/code_points.h"
#include "sampling/grammar/regex_parser.h"

namespace skald {

/// Of `\d`, `\w` and `\s`, by their letter.
CodePoints shorthand_class(char letter, RegexDialect dialect);

/// What "." matches.
CodePoints dot_class(RegexDialect dialect);

/// The characters with a property: a general category by its short or long name ("Lu", "Letter"), also after "gc=" or
/// "General_Category=", "Any", "ASCII" or "ASCII_Hex_Digit"; empty for another name.
CodePoints property_class(std::string_view name);

}  // namespace skald
