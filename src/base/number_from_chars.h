// number_from_chars: std::from_chars for all numbers. libc++ before version 20 reads whole numbers only.
#pragma once

#include <charconv>

namespace skald {

/// Reads as std::from_chars does, by strtod_l() in the C locale.
std::from_chars_result number_by_strtod(const char* first, const char* last, double& out);
std::from_chars_result number_by_strtod(const char* first, const char* last, float& out);

/// Reads the number that a text begins with, in decimal. `out` stays as it was where there is none, or where it does not
/// fit.
template <class T>
std::from_chars_result number_from_chars(const char* first, const char* last, T& out) {
  if constexpr (requires { std::from_chars(first, last, out); })
    return std::from_chars(first, last, out);
  else
    return number_by_strtod(first, last, out);
}

}  // namespace skald
