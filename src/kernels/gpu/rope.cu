// Rotary embeddings: the table of a step's angles, and the rotation of heads by it. Bound: the bytes of the rows.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rope.inl"
#include "kernels/gpu/sine.inl"

namespace skald::gpu {
namespace {

constexpr int kTableThreads = 64, kThreads = 128;

// A block per row. Angles in double: at position 100,000 a float angle is off by hundredths of a radian.
SIMT_KERNEL void rope_table(RopeTableArgs a) {
  const int row = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  float* out = a.out.data + row * a.out.step;
  for (int64_t i = simt::thread(); i < a.pairs; i += kTableThreads) {
    const double frequency = a.divisors ? a.frequencies[i] / static_cast<double>(a.divisors[i]) : a.frequencies[i];
    const SineCosine at = sine_cosine(a.positions[row] * frequency);
    out[i] = at.cosine * a.magnitude;
    out[i + a.pairs] = at.sine * a.magnitude;
  }
}

void launch_rope_table(simt::Stream stream, const RopeTableArgs& a, int64_t rows) {
  launch_early<rope_table>(stream, {{static_cast<unsigned>(rows)}, kTableThreads}, a);
}

// A block per row.
SIMT_KERNEL void rope(RopeArgs a) {
  const int row = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const int64_t items = rope_items(a);
  for (int64_t i = simt::thread(); i < a.heads * items; i += kThreads) {
    const int64_t head = i / items;
    const Matrix& table = a.tables[head % a.n_tables];
    rotate(a, a.x.data + row * a.x.step + head * a.d_head, table.data + row * table.step,
           a.out.data + row * a.out.step + head * a.d_head, i % items);
  }
}

void launch_rope(simt::Stream stream, const RopeArgs& a, int64_t rows) {
  launch_early<rope>(stream, {{static_cast<unsigned>(rows)}, kThreads}, a);
}

}  // namespace

template <>
void fill_rope<simt::Target>(GpuKernels& kernels) {
  kernels.rope_table = launch_rope_table;
  kernels.rope = launch_rope;
}

}  // namespace skald::gpu
