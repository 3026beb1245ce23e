// SentencePiece files made by hand.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "convert/tokenizers/piece_table.h"

namespace skald::test {

inline std::string varint(uint64_t value) {
  std::string out;
  for (; value > 0x7F; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7F));
  return out + static_cast<char>(value);
}
inline std::string varint_field(uint32_t number, uint64_t value) { return varint(uint64_t{number} << 3) + varint(value); }
inline std::string bytes_field(uint32_t number, std::string_view bytes) {
  return varint(uint64_t{number} << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
inline std::string float_field(uint32_t number, float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  std::string out = varint(uint64_t{number} << 3 | 5);
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(bits >> shift);
  return out;
}

/// The message of one piece.
inline std::string piece_message(const Piece& piece) {
  return bytes_field(1, piece.text) + float_field(2, piece.score) + varint_field(3, static_cast<uint64_t>(piece.kind));
}

struct TinySentencePiece {
  std::vector<Piece> pieces;
  int type = 2;  // 1: unigram, 2: BPE
  bool dummy_prefix = true, remove_extra_whitespaces = false;
  std::string charsmap = {};

  std::string bytes() const {
    std::string out;
    for (const Piece& piece : pieces) out += bytes_field(1, piece_message(piece));
    out += bytes_field(2, varint_field(3, static_cast<uint64_t>(type)));
    return out + bytes_field(3, bytes_field(2, charsmap) + varint_field(3, dummy_prefix) +
                                    varint_field(4, remove_extra_whitespaces));
  }
};

/// <unk>, <s>, </s>, the 256 bytes (ids 3 to 258), then `more`.
inline std::vector<Piece> spm_pieces(const std::vector<Piece>& more) {
  std::vector<Piece> out = {{"<unk>", PieceKind::kUnknown}, {"<s>", PieceKind::kControl}, {"</s>", PieceKind::kControl}};
  for (int b = 0; b < 256; ++b) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string text = "<0x";
    text += kDigits[static_cast<size_t>(b / 16)];
    text += kDigits[static_cast<size_t>(b % 16)];
    out.push_back({text + ">", PieceKind::kByte});
  }
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace skald::test
