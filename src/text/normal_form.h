// Unicode's canonical forms: composed (NFC), which the tokenizers of some models ask for, and decomposed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

/// `text`, well-formed UTF-8, in normal form C: `text` itself where nothing can change, `buffer` otherwise. In O(n log n)
/// for any text.
std::string_view nfc(std::string_view text, std::string& buffer);

/// Calls f(part, at) for the parts of nfc(text), each for the characters from `at` on: the smallest ones that are easily
/// told apart.
void for_each_nfc_part(std::string_view text, const std::function<void(std::string_view part, size_t at)>& f);

/// Appends the canonical decomposition of one character; marks of several characters are not put in order.
void append_decomposed(std::vector<int32_t>& codes, uint32_t code);

}  // namespace skald
