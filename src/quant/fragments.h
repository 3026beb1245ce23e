// Fragments: weights laid out for the matrix units of GPUs. A panel holds 16 rows, in steps of some columns. A lane of a
// warp finds what it brings to a product 16 bytes at a time, and a warp's bytes lie on end. Lane 4 g + t has rows g and g +
// 8; the maps are those of PTX's mma.m16n8k16 and mma.m16n8k32.
#pragma once

#include <array>
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

/// Blocks of 32 small integers as what the lanes bring: four words a lane, of columns 4 t on and 16 + 4 t on of rows g, g
/// + 8.
struct CodeFragment {
  static constexpr int64_t kBytes = 512;

  /// Word `word` of lane `lane` is the four codes of this row from this column on.
  static constexpr int64_t row(int lane, int word) { return lane / 4 + word % 2 * 8; }
  static constexpr int64_t column(int lane, int word) { return lane % 4 * 4 + word / 2 * 16; }
  static uint8_t& byte(std::byte* fragment, int lane, int word, int i) {
    return reinterpret_cast<uint8_t*>(fragment)[lane * 16 + word * 4 + i];
  }
  /// fn(byte of the fragment, row, column) for all bytes.
  template <class Fn>
  static void for_each(std::byte* fragment, Fn fn) {
    for (int lane = 0; lane < 32; ++lane)
      for (int word = 0; word < 4; ++word)
        for (int i = 0; i < 4; ++i) fn(byte(fragment, lane, word, i), row(lane, word), column(lane, word) + i);
  }
};

/// Puts the f16 scale of a row's block where lane 8 block + row % 8 finds it: rows r and r + 8 share a word.
inline void put_scale(std::byte* scales, int64_t block, int64_t row, uint16_t scale) {
  std::memcpy(scales + ((block * 8 + row % 8) * 2 + row / 8) * 2, &scale, sizeof scale);
}

}  // namespace skald
