// Fragments: weights laid out for the matrix units of GPUs. A panel holds 16 rows, in steps of some columns. A lane of a
// warp finds what it brings to a product 16 bytes at a time, and a warp's bytes lie on end. Lane 4 g + t has rows g and g +
// 8; the maps are those of PTX's mma.m16n8k16 and mma.m16n8k32.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "quant/panels.h"

namespace skald {

struct FragmentLayout {
  uint32_t format;     // of the rows: a GGUF tensor type
  int64_t columns;     // of a step; the last step of a panel is filled up with zeros
  int64_t step_bytes;  // of a panel
  /// Packs the rows of one panel into `steps`, which are zeros.
  void (*pack)(const PackArgs& args, std::byte* steps);

  constexpr int64_t steps(int64_t k) const { return (k + columns - 1) / columns; }
  constexpr int64_t panels(int64_t rows) const { return (rows + kPanelRows - 1) / kPanelRows; }
  constexpr int64_t panel_bytes(int64_t k) const { return steps(k) * step_bytes; }
  constexpr int64_t bytes(int64_t rows, int64_t k) const { return panels(rows) * panel_bytes(k); }
};

/// One per folder of src/quant that has fragments.cpp.
std::span<const FragmentLayout* const> fragment_layouts();

/// Finds the layout of a format's fragments; nullptr where it has none.
const FragmentLayout* find_fragments(uint32_t format);

/// Some bits of each code of a step. Four codes share a word, a byte for each. 32 columns are four words a lane: columns 4 t
/// on of rows g and g + 8, then columns 16 + 4 t on of both. Words share what a byte has room for: word n of a step begins
/// at bit n * bits % 8 of the bytes of the lane's word n * bits / 8.
struct CodePlane {
  int64_t columns, bits;

  constexpr int64_t words() const { return columns * bits / 64; }  // of a lane: a multiple of 2
  constexpr int64_t bytes() const { return words() * 4 * 32; }
  /// `code` has no more than those bits; the plane is zeros there.
  void put(std::byte* plane, int64_t row, int64_t column, unsigned code) const {
    const int64_t in_block = column % 32, lane = row % 8 * 4 + in_block % 16 / 4;
    const int64_t number = column / 32 * 4 + in_block / 16 * 2 + row / 8, word = number * bits / 8;
    const int64_t on_end = std::min<int64_t>(4, words() - word / 4 * 4);  // words of a lane
    std::byte& to = plane[word / 4 * 512 + (lane * on_end + word % 4) * 4 + in_block % 4];
    to |= static_cast<std::byte>(code << number * bits % 8);
  }
};

/// Codes in one plane, or their lower bits in one and their upper ones in another.
struct CodePlanes {
  int64_t columns, low, high = 0;  // bits

  constexpr int64_t bytes() const { return columns * (low + high) * 2; }
  void put(std::byte* planes, int64_t row, int64_t column, unsigned code) const {
    const CodePlane lower{columns, low}, upper{columns, high};
    lower.put(planes, row, column, code & ((1U << low) - 1));
    if (high) upper.put(planes + lower.bytes(), row, column, code >> low);
  }
};

/// Packs a panel of blocks: code(block, element) into the planes of a step, then what rest(block, row, number of the block
/// in the step, address) puts after them.
template <CodePlanes kPlanes, class Block, int64_t kRestBytes, class Code, class Rest>
void pack_blocks(const PackArgs& a, std::byte* steps, Code code, Rest rest) {
  constexpr int64_t kBlocks = kPlanes.columns / Block::kSize;
  for (int64_t block = 0; block < a.k / Block::kSize; ++block) {
    std::byte* const step = steps + block / kBlocks * (kPlanes.bytes() + kRestBytes);
    for (int64_t row = 0; row < a.n_rows; ++row) {
      const Block& b = reinterpret_cast<const Block*>(a.rows + row * a.row_bytes)[block];
      for (int i = 0; i < Block::kSize; ++i) kPlanes.put(step, row, block % kBlocks * Block::kSize + i, code(b, i));
      rest(b, row, block % kBlocks, step + kPlanes.bytes());
    }
  }
}

/// Puts the f16 scale of a row's block where lane 8 block + row % 8 finds it: rows r and r + 8 share a word.
inline void put_scale(std::byte* scales, int64_t block, int64_t row, uint16_t scale) {
  std::memcpy(scales + ((block * 8 + row % 8) * 2 + row / 8) * 2, &scale, sizeof scale);
}

/// A layout for blocks of 32 with an f16 scale, and, where blocks have it, an f16 minimum `m`: code(block, element).
template <class Block, CodePlanes kPlanes, auto kCode>
constexpr FragmentLayout layout_of_blocks() {
  constexpr bool kMins = requires(const Block& b) { b.m; };
  constexpr int64_t kScaleBytes = 128, kRestBytes = kMins ? 2 * kScaleBytes : kScaleBytes;
  return {Block::kId, kPlanes.columns, kPlanes.bytes() + kRestBytes, [](const PackArgs& a, std::byte* steps) {
            pack_blocks<kPlanes, Block, kRestBytes>(a, steps, kCode,
                                                    [](const Block& b, int64_t row, int64_t block, std::byte* rest) {
                                                      put_scale(rest, block, row, b.d);
                                                      if constexpr (kMins) put_scale(rest + kScaleBytes, block, row, b.m);
                                                    });
          }};
}

/// The nibble of element i of 32 that blocks have in pairs: elements i and i + 16.
template <class Block>
unsigned nibble_of(const Block& b, int i) {
  return b.q[i % 16] >> (i < 16 ? 0 : 4) & 15U;
}
/// Likewise with a fifth bit.
template <class Block>
unsigned five_bits_of(const Block& b, int i) {
  return nibble_of(b, i) | (b.high[i / 8] >> i % 8 & 1U) << 4;
}

}  // namespace skald
