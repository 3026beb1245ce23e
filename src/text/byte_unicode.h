// GPT-2's way of writing bytes as printable characters, which is how byte-level BPE pieces are spelled in files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skald {

/// Returns the character (a code point below 0x144) that stands for `byte`.
uint32_t byte_to_char(uint8_t byte) noexcept;

/// Returns the bytes that a piece stands for; a piece with any character outside the table stands for itself.
std::string bytes_of_spelling(std::string_view piece);

}  // namespace skald
