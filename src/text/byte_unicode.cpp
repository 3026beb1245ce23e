#include "text/byte_unicode.h"

#include <array>

#include "text/utf8.h"

namespace skald {
namespace {

constexpr uint32_t kChars = 0x144;  // one past the highest character in use

// Bytes that print in Latin-1 stand for themselves; the others follow in order from U+0100.
constexpr bool prints(int b) { return (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE; }

constexpr std::array<uint16_t, 256> kToChar = [] {
  std::array<uint16_t, 256> table{};
  uint16_t next = 0x100;
  for (int b = 0; b < 256; ++b) table[static_cast<size_t>(b)] = prints(b) ? static_cast<uint16_t>(b) : next++;
  return table;
}();

constexpr std::array<int16_t, kChars> kToByte = [] {
  std::array<int16_t, kChars> table{};
  table.fill(-1);
  for (int b = 0; b < 256; ++b) table[kToChar[static_cast<size_t>(b)]] = static_cast<int16_t>(b);
  return table;
}();

}  // namespace

uint32_t byte_to_char(uint8_t byte) noexcept { return kToChar[byte]; }

std::string bytes_of_spelling(std::string_view piece) {
  std::string out;
  out.reserve(piece.size());
  for (size_t at = 0; at < piece.size();) {
    const Utf8Step step = utf8_step(piece, at);
    if (step.kind != Utf8Kind::kChar) return std::string(piece);
    const uint32_t code = utf8_code(piece, at, step.length);
    if (code >= kChars || kToByte[code] < 0) return std::string(piece);
    out.push_back(static_cast<char>(kToByte[code]));
    at += static_cast<size_t>(step.length);
  }
  return out;
}

}  // namespace skald
