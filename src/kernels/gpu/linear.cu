// Products with weights of formats without fragments, decoded number by number. A row's sums run over its columns in order,
// whatever rows are beside it. Correct for all shapes; bound: the arithmetic of decoding.
#include "kernels/gpu/formats.h"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 64;    // outputs of a block
constexpr int kRowsAtOnce = 8;  // that a decoded weight meets

template <class Format>
SIMT_KERNEL void linear(LinearArgs a) {
  const int64_t first = simt::block_y() * kRowsAtOnce, output = simt::block_x() * kThreads + simt::thread();
  if (!begin_row(a.rows, first)) return;
  if (output >= a.weight.rows) return;
  const int64_t rows = at_most<int64_t>(*a.rows.at - first, kRowsAtOnce);
  const std::byte* weights = a.weight.data + output * a.weight.row_bytes;
  const float* x = a.x.data + first * a.x.step;
  float sums[kRowsAtOnce] = {};
  for (int64_t i = 0; i < a.weight.columns; ++i) {
    const float w = Format::at(weights, i);
#pragma unroll
    for (int r = 0; r < kRowsAtOnce; ++r)
      if (r < rows) sums[r] += w * x[r * a.x.step + i];
  }
#pragma unroll
  for (int r = 0; r < kRowsAtOnce; ++r)
    if (r < rows) {
      const float added = a.added.data ? a.added.data[(first + r) * a.added.step + output] : 0;
      a.out.data[(first + r) * a.out.step + output] = a.added.data ? sums[r] + added : sums[r];
    }
}

template <class Format>
void launch_linear(simt::Stream stream, const LinearArgs& a, int64_t rows) {
  const simt::Grid grid{blocks_for(a.weight.rows, kThreads), blocks_for(rows, kRowsAtOnce)};
  launch_early<linear<Format>>(stream, {grid, kThreads}, a);
}

}  // namespace

template <>
void fill_linear<simt::Target>(GpuKernels& kernels) {
  for_each_format_without_fragments([&]<class Format>() { kernels.linear[Format::kId] = launch_linear<Format>; });
}

}  // namespace skald::gpu
