// SentencePiece's spelling of single bytes as pieces: "<0x0A>".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace skald {

/// Returns the byte that a piece spells; nullopt for any other piece.
constexpr std::optional<uint8_t> byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return std::nullopt;
  int value = 0;
  for (char c : piece.substr(3, 2)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    value = value * 16 + digit;
  }
  return static_cast<uint8_t>(value);
}

}  // namespace skald
