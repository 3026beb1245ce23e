// Shared by q4_k and q5_k: eight parts of 32 codes, each with a scale and an offset (quant/six_bit_pairs.h).
#pragma once

#include "quant/f16/block.h"
#include "quant/pack_groups.h"

namespace skald {

template <class Block>
void decode_lined(const Block& b, float* x) {
  const float d = f16_to_f32(b.d), min = f16_to_f32(b.min);
  for (int part = 0; part < 8; ++part) {
    const float scale = d * static_cast<float>(b.parts.scale(part)), offset = min * static_cast<float>(b.parts.offset(part));
    for (int i = 0; i < 32; ++i) x[part * 32 + i] = scale * static_cast<float>(b.code(part, i)) - offset;
  }
}

/// For layout_of_groups.
template <class Block>
void put_lined(const Block& b, int, int row, typename Block::Group& to) {
  to.d[row] = b.d;
  to.min[row] = b.min ^ 0x8000;  // to be added
  for (int part = 0; part < 8; ++part) {
    to.scales[part][row] = static_cast<uint8_t>(b.parts.scale(part));
    to.mins[part][row] = static_cast<uint8_t>(b.parts.offset(part));
    put_codes(codes_of(b, part), row, to.codes[part]);
  }
}

}  // namespace skald
