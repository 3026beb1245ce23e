// q1_0, q2_0 and tq2_0 in fragments: codes of one or two bits, then the scales of each row's blocks.
#pragma once

#include "quant/fragments.h"

namespace skald {

template <class Block, CodePlanes kPlanes>
constexpr FragmentLayout layout_of_few_bits() {
  constexpr int64_t kRestBytes = kPlanes.columns / Block::kSize * 32;
  return {Block::kId, kPlanes.columns, kPlanes.bytes() + kRestBytes, [](const PackArgs& a, std::byte* steps) {
            pack_blocks<kPlanes, Block, kRestBytes>(
                a, steps, [](const Block& b, int i) { return static_cast<unsigned>(b.code(i / 32, i % 32)); },
                [](const Block& b, int64_t row, int64_t block, std::byte* rest) { put_scale(rest, block, row, b.d); });
          }};
}

}  // namespace skald
