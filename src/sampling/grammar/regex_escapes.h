// Escapes and bracket expressions of regular expressions.
#pragma once

#include <variant>

#include "sampling/grammar/code_points.h"
#include "sampling/grammar/regex_parser.h"
#include "sampling/grammar/source_reader.h"

namespace skald {

/// What follows a backslash: a character, or a class of several.
using RegexEscape = std::variant<uint32_t, CodePoints>;

/// Reads what follows a backslash. `in_class`: between brackets.
RegexEscape read_escape(SourceReader& reader, RegexDialect dialect, bool in_class);

/// Reads what follows "[", up to and with the closing bracket.
CodePoints read_class(SourceReader& reader, RegexDialect dialect);

}  // namespace skald
