// Products of each head with a matrix of its own. Correct for all shapes; bound: the arithmetic of decoding.
#include "kernels/gpu/formats.h"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/products.inl"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 64;  // outputs of a block

// A thread per output of a head and row.
template <class Format>
SIMT_KERNEL void head_linear(HeadLinearArgs a) {
  const int64_t row = simt::block_y(), head = simt::block_z();
  const int64_t output = int64_t{simt::block_x()} * kThreads + simt::thread();
  if (!begin_row(a.rows, row) || output >= a.weight.rows) return;
  const std::byte* weights = a.weight.data + (head * a.weight.rows + output) * a.weight.row_bytes;
  const float* x = a.x.data + row * a.x.step + head * a.weight.columns;
  a.out.data[row * a.out.step + head * a.weight.rows + output] = product<Format>(weights, x, a.weight.columns);
}

template <class Format>
void launch_head_linear(simt::Stream stream, const HeadLinearArgs& a, int64_t rows) {
  const simt::Grid grid{blocks_for(a.weight.rows, kThreads), static_cast<unsigned>(rows), static_cast<unsigned>(a.heads)};
  launch_early<head_linear<Format>>(stream, {grid, kThreads}, a);
}

}  // namespace

template <>
void fill_head_linear<simt::Target>(GpuKernels& kernels) {
  for_each_format([&]<class Format>() { kernels.head_linear[Format::kId] = launch_head_linear<Format>; });
}

}  // namespace skald::gpu
