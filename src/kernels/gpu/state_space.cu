// Mamba 2's scan over the rows of each sequence. Bound: reading and writing the states, once for each row.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 64;

// One row of one column of a head's state (n, d).
SIMT_DEV float scan(const StateSpaceArgs& a, int64_t row, int64_t head, float x, float* state) {
  const int64_t group = head / (a.heads / a.groups);
  const float *keys = a.b.data + row * a.b.step + group * a.n, *queries = a.c.data + row * a.c.step + group * a.n;
  const float dt = a.dt.data[row * a.dt.step + head], decay = simt::exponential(dt * a.rates[head]), value = dt * x;
  float sum = 0;
  for (int64_t i = 0; i < a.n; ++i) {
    float& s = state[i * a.d];
    s = simt::fma1(keys[i], value, decay * s);
    sum = simt::fma1(queries[i], s, sum);
  }
  return simt::fma1(a.skips[head], x, sum);
}

// A block per head of a sequence, a thread per column of its state.
SIMT_KERNEL void state_space(StateSpaceArgs a) {
  const int64_t head = simt::block_x(), sequence = simt::block_y();
  if (!begin_row(a.step.count, sequence)) return;
  const SequenceRows rows = a.step.rows[sequence];
  float* state = a.step.states[sequence] + head * a.n * a.d;
  for (int64_t c = simt::thread(); c < a.d; c += kThreads)
    for (int64_t row = rows.first; row < rows.first + rows.n; ++row)
      a.out.data[row * a.out.step + head * a.d + c] =
          scan(a, row, head, a.x.data[row * a.x.step + head * a.d + c], state + c);
}

void launch_state_space(simt::Stream stream, const StateSpaceArgs& a, int64_t rows) {
  launch_early<state_space>(stream, {{static_cast<unsigned>(a.heads), static_cast<unsigned>(rows)}, kThreads}, a);
}

}  // namespace

template <>
void fill_state_space<simt::Target>(GpuKernels& kernels) {
  kernels.state_space = launch_state_space;
}

}  // namespace skald::gpu
