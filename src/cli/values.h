// Values of flags: numbers as llama.cpp reads them, with errors that name the flag.
#pragma once

#include <cstdint>
#include <string_view>

namespace skald {

/// A decimal number, whatever it begins with: "010" is ten. Throws UsageError naming the flag for what is none, and for what
/// a T does not hold.
template <class T>
T whole_number(std::string_view flag, std::string_view text);

/// Throws UsageError naming the flag.
float number(std::string_view flag, std::string_view text);

}  // namespace skald
