// Rotary embeddings: the table of a step's angles, and the rotation of heads by it. Bound: the bytes of the rows.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"
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

// A thread per pair, or per number that is not rotated: may write over x.
SIMT_DEV void rotate(const RopeArgs& a, const float* x, const float* table, float* out, int64_t item) {
  const int64_t pairs = a.dims / 2;
  if (item >= pairs) {
    const int64_t plain = item - pairs, i = plain < a.first ? plain : plain + a.dims;
    out[i] = x[i];
    return;
  }
  const int64_t i = a.first + (a.halves ? item : 2 * item), j = i + (a.halves ? pairs : 1);
  const float cosine = table[item], sine = table[item + pairs], u = x[i], v = x[j];
  out[i] = u * cosine - v * sine;
  out[j] = u * sine + v * cosine;
}

// A block per row.
SIMT_KERNEL void rope(RopeArgs a) {
  const int row = simt::block_x();
  if (!begin_row(a.rows, row)) return;
  const int64_t items = a.d_head - a.dims / 2;  // of a head
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
