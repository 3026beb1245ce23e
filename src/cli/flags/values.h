// Values of flags: numbers as llama.cpp reads them, with errors that name the flag.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

/// A decimal number, whatever it begins with: "010" is ten. Throws UsageError naming the flag for what is none, and for what
/// a T does not hold.
template <class T>
T whole_number(std::string_view flag, std::string_view text);

/// The items of "a,b,c", without empty ones. Throws UsageError naming the flag where there is none.
std::vector<std::string> comma_list(std::string_view flag, std::string_view list);

/// Throws UsageError naming the flag.
float number(std::string_view flag, std::string_view text);

/// A file and the factor of what it holds.
struct ScaledFile {
  std::string file;
  float scale;
};
/// Reads "FILE:SCALE", cut at the last colon: a name may have colons of its own. Throws UsageError naming the flag.
ScaledFile scaled_file(std::string_view flag, const std::string& word);

}  // namespace skald
