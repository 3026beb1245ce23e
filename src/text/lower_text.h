// Texts without capital letters, of all scripts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skald {

/// Each character in lower case, as the package `tokenizers` has it; bytes that are no UTF-8 stay.
std::string lower_text(std::string_view text);

/// Appends one character in lower case.
void append_lower(std::string& out, uint32_t code);

}  // namespace skald
