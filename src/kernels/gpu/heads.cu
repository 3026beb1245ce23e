// Columns of heads, cut out and joined. Bound: their bytes.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 128;

// A block per row.
SIMT_KERNEL void head_columns(HeadColumnsArgs a) {
  const int64_t row = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const float* x = a.x.data + row * a.x.step + a.first;
  float* out = a.out.data + row * a.out.step;
  for (int64_t i = simt::thread(); i < a.heads * a.n; i += kThreads) out[i] = x[i / a.n * a.d_head + i % a.n];
}

void launch_head_columns(simt::Stream stream, const HeadColumnsArgs& a, int64_t rows) {
  launch_early<head_columns>(stream, {{static_cast<unsigned>(rows)}, kThreads}, a);
}

// A block per row.
SIMT_KERNEL void join_heads(JoinHeadsArgs a) {
  const int64_t row = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const float *x = a.a.data + row * a.a.step, *y = a.b.data + row * a.b.step;
  float* out = a.out.data + row * a.out.step;
  const int64_t width = a.n + a.m;
  for (int64_t i = simt::thread(); i < a.heads * width; i += kThreads) {
    const int64_t head = i / width, column = i % width;
    out[i] = column < a.n ? x[head * a.n + column] : y[head * a.b_step + column - a.n];
  }
}

void launch_join_heads(simt::Stream stream, const JoinHeadsArgs& a, int64_t rows) {
  launch_early<join_heads>(stream, {{static_cast<unsigned>(rows)}, kThreads}, a);
}

}  // namespace

template <>
void fill_heads<simt::Target>(GpuKernels& kernels) {
  kernels.head_columns = launch_head_columns;
  kernels.join_heads = launch_join_heads;
}

}  // namespace skald::gpu
