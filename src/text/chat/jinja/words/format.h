// The three ways in which Python formats: text % values, text.format(), and the mini-language after the colon.
#pragma once

#include <string>
#include <string_view>

#include "text/chat/jinja/run/function.h"

namespace skald::jinja {

/// text % values; `values` is a tuple, a dict (for %(name)s), or one value.
Value percent_format(Heap& heap, const Value& text, const Value& values);

/// text.format(*positional, **named) and text.format_map(mapping).
Value brace_format(Heap& heap, const Value& text, const Arguments& arguments, const Value& mapping);

/// format(value, specification).
Value format_value(Heap& heap, const Value& value, std::string_view specification);

// Shared by the first and the third.

/// Returns a number's digits: 'e', 'f' or 'g' as C's printf has them, in upper case for 'E', 'F' and 'G'; `alternate`: "#".
std::string float_digits(Budget& budget, double value, char type, int64_t precision, bool alternate);
/// Fills up to `width` characters: '<', '>', '^', or '=' for filling after the sign.
std::string padded(Budget& budget, std::string_view text, int64_t width, char align, std::string_view fill, size_t sign = 0);

}  // namespace skald::jinja
