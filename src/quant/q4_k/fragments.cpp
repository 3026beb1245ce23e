// q4_k in fragments, for 256 columns: the nibbles of two parts of 32 share bytes; then 8 bytes a lane. Lane 4 g + t has the
// scales and offsets, of 6 bits, of parts 2 t and 2 t + 1 of rows g and g + 8, and one of both rows' d and min.
#include "quant/fragments.h"

#include "quant/q4_k/block.h"

namespace skald {
namespace {

constexpr int64_t kParts = 8, kCodeBytes = kParts / 2 * CodeFragment::kBytes, kBytes = kCodeBytes + 256;

const BlockQ4K& block_of(const PackArgs& a, int64_t row, int64_t block) {
  return reinterpret_cast<const BlockQ4K*>(a.rows + row * a.row_bytes)[block];
}

// Scale, offset, scale, offset of two parts.
uint64_t fields(const BlockQ4K& b, int part) {
  uint64_t out = 0;
  for (int i = 1; i >= 0; --i)
    out = out << 12 | static_cast<uint64_t>(b.parts.offset(part + i)) << 6 | static_cast<uint64_t>(b.parts.scale(part + i));
  return out;
}

void pack_scales(const PackArgs& a, int64_t block, std::byte* to) {
  for (int lane = 0; lane < 32; ++lane) {
    const int64_t g = lane / 4, t = lane % 4;
    uint64_t word = 0;
    for (int64_t half = 0; half < 2; ++half)
      if (const int64_t row = g + half * 8; row < a.n_rows)
        word |= fields(block_of(a, row, block), static_cast<int>(2 * t)) << 24 * half;
    if (const int64_t row = g + t / 2 * 8; row < a.n_rows) {
      const BlockQ4K& b = block_of(a, row, block);
      word |= static_cast<uint64_t>(t % 2 ? b.min : b.d) << 48;
    }
    std::memcpy(to + lane * 8, &word, sizeof word);
  }
}

void pack(const PackArgs& a, std::byte* steps) {
  for (int64_t block = 0; block < a.k / BlockQ4K::kSize; ++block, steps += kBytes) {
    for (int part = 0; part < kParts; ++part)
      CodeFragment::for_each(steps + part / 2 * CodeFragment::kBytes, [&](uint8_t& to, int64_t row, int64_t column) {
        if (row >= a.n_rows) return;
        const int code = block_of(a, row, block).code(part, static_cast<int>(column));
        to = static_cast<uint8_t>(to | code << part % 2 * 4);
      });
    pack_scales(a, block, steps + kCodeBytes);
  }
}

}  // namespace

extern const FragmentLayout fragments_q4_k;
const FragmentLayout fragments_q4_k{BlockQ4K::kId, BlockQ4K::kSize, kBytes, pack};

}  // namespace skald
