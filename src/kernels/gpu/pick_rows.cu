// Rows that are needed further on. Bound: their bytes.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 128;

// A block per row; numbers of any type with 4 bytes.
SIMT_KERNEL void pick_rows(PickRowsArgs a) {
  const int row = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const float* from = a.x.data + a.numbers[row] * a.x.step;
  for (int64_t i = simt::thread(); i < a.n; i += kThreads) a.out.data[row * a.out.step + i] = from[i];
}

void launch_pick_rows(simt::Stream stream, const PickRowsArgs& a, int64_t rows) {
  launch_early<pick_rows>(stream, {{static_cast<unsigned>(rows)}, kThreads}, a);
}

}  // namespace

template <>
void fill_pick_rows<simt::Target>(GpuKernels& kernels) {
  kernels.pick_rows = launch_pick_rows;
}

}  // namespace skald::gpu
