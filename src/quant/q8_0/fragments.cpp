// q8_0 in fragments: four blocks of 32 codes, then their scales, for 128 columns.
#include "quant/fragments.h"

#include "quant/q8_0/block.h"

namespace skald {
namespace {

constexpr int64_t kBlocks = 4, kBytes = kBlocks * CodeFragment::kBytes + 128;

void pack(const PackArgs& a, std::byte* steps) {
  const auto block_of = [&](int64_t row, int64_t block) -> const BlockQ8_0& {
    return reinterpret_cast<const BlockQ8_0*>(a.rows + row * a.row_bytes)[block];
  };
  for (int64_t block = 0; block < a.k / BlockQ8_0::kSize; ++block) {
    std::byte* const step = steps + block / kBlocks * kBytes;
    CodeFragment::for_each(step + block % kBlocks * CodeFragment::kBytes, [&](uint8_t& to, int64_t row, int64_t column) {
      if (row < a.n_rows) to = static_cast<uint8_t>(block_of(row, block).q[column]);
    });
    for (int64_t row = 0; row < a.n_rows; ++row)
      put_scale(step + kBlocks * CodeFragment::kBytes, block % kBlocks, row, block_of(row, block).d);
  }
}

}  // namespace

extern const FragmentLayout fragments_q8_0;
const FragmentLayout fragments_q8_0{BlockQ8_0::kId, kBlocks* BlockQ8_0::kSize, kBytes, pack};

}  // namespace skald
