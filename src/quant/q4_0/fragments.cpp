// q4_0 in fragments: the nibbles of two blocks share bytes, and their scales follow, for 128 columns.
#include "quant/fragments.h"

#include "quant/q4_0/block.h"

namespace skald {
namespace {

constexpr int64_t kBlocks = 4, kBytes = kBlocks / 2 * CodeFragment::kBytes + 128;

void pack(const PackArgs& a, std::byte* steps) {
  const auto block_of = [&](int64_t row, int64_t block) -> const BlockQ4_0& {
    return reinterpret_cast<const BlockQ4_0*>(a.rows + row * a.row_bytes)[block];
  };
  for (int64_t block = 0; block < a.k / BlockQ4_0::kSize; ++block) {
    std::byte* const step = steps + block / kBlocks * kBytes;
    const int64_t in_step = block % kBlocks;
    CodeFragment::for_each(step + in_step / 2 * CodeFragment::kBytes, [&](uint8_t& to, int64_t row, int64_t column) {
      if (row >= a.n_rows) return;
      const int code = block_of(row, block).q[column % 16] >> (column < 16 ? 0 : 4) & 15;
      to = static_cast<uint8_t>(to | code << in_step % 2 * 4);
    });
    for (int64_t row = 0; row < a.n_rows; ++row)
      put_scale(step + kBlocks / 2 * CodeFragment::kBytes, in_step, row, block_of(row, block).d);
  }
}

}  // namespace

extern const FragmentLayout fragments_q4_0;
const FragmentLayout fragments_q4_0{BlockQ4_0::kId, kBlocks* BlockQ4_0::kSize, kBytes, pack};

}  // namespace skald
