// q4_k and q5_k in fragments, for 256 columns: codes in planes; then 8 bytes a lane. Lane 4 g + t has the scales and
// offsets, of 6 bits, of parts 2 t and 2 t + 1 of rows g and g + 8, and one of both rows' d and min.
#pragma once

#include "quant/fragments.h"

namespace skald {

/// Puts what belongs to a row beside what is there of the others.
template <class Block>
void put_lines(const Block& b, int64_t row, std::byte* rest) {
  const auto add = [&](int64_t t, uint64_t bits) {
    uint64_t word;
    std::byte* const at = rest + (row % 8 * 4 + t) * 8;
    std::memcpy(&word, at, sizeof word);
    word |= bits;
    std::memcpy(at, &word, sizeof word);
  };
  for (int part = 0; part < 8; ++part) {
    const unsigned scale = static_cast<unsigned>(b.parts.scale(part)), offset = static_cast<unsigned>(b.parts.offset(part));
    add(part / 2, uint64_t{scale | offset << 6} << (row / 8 * 24 + part % 2 * 12));
  }
  add(row / 8 * 2, uint64_t{b.d} << 48);
  add(row / 8 * 2 + 1, uint64_t{b.min} << 48);
}

template <class Block, CodePlanes kPlanes>
constexpr FragmentLayout layout_of_lined() {
  constexpr int64_t kRestBytes = 256;
  return {Block::kId, kPlanes.columns, kPlanes.bytes() + kRestBytes, [](const PackArgs& a, std::byte* steps) {
            pack_blocks<kPlanes, Block, kRestBytes>(
                a, steps, [](const Block& b, int i) { return static_cast<unsigned>(b.code(i / 32, i % 32)); },
                [](const Block& b, int64_t row, int64_t, std::byte* rest) { put_lines(b, row, rest); });
          }};
}

}  // namespace skald
