// A convolution over time of each channel with itself, which goes on from the last rows of the step before. Bound: the bytes
// of the rows.
#include "kernels/gpu/activations.inl"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 64;  // channels of a block

/// One channel of one sequence: row t of x, counted from its first one in this step; those before it are in the state.
struct Channel {
  const float *x, *state;
  int64_t x_step, n, kept;
  SIMT_DEV float at(int64_t t) const { return t < 0 ? state[(t + kept) * n] : x[t * x_step]; }
};

SIMT_DEV float convolve(const CausalConvArgs& a, const Channel& channel, int64_t c, int64_t row) {
  float sum = a.bias ? a.bias[c] : 0;
  for (int64_t t = 0; t < a.taps; ++t) sum = simt::fma1(a.weight[c * a.taps + t], channel.at(row - channel.kept + t), sum);
  return a.silu ? apply<Activation::kSilu>(sum) : sum;
}

// A thread per channel of a sequence.
SIMT_KERNEL void causal_conv(CausalConvArgs a) {
  const int64_t sequence = simt::block_y(), c = int64_t{simt::block_x()} * kThreads + simt::thread();
  if (!begin_row(a.step.count, sequence) || c >= a.n) return;
  const SequenceRows rows = a.step.rows[sequence];
  float* state = a.step.states[sequence] + c;
  const Channel channel{a.x.data + rows.first * a.x.step + c, state, a.x.step, a.n, a.taps - 1};
  for (int64_t r = 0; r < rows.n; ++r) a.out.data[(rows.first + r) * a.out.step + c] = convolve(a, channel, c, r);
  // The oldest first: a row that stays moves up before it is written over.
  for (int64_t t = 0; t < channel.kept; ++t) state[t * a.n] = channel.at(rows.n - channel.kept + t);
}

void launch_causal_conv(simt::Stream stream, const CausalConvArgs& a, int64_t rows) {
  launch_early<causal_conv>(stream, {{blocks_for(a.n, kThreads), static_cast<unsigned>(rows)}, kThreads}, a);
}

}  // namespace

template <>
void fill_causal_conv<simt::Target>(GpuKernels& kernels) {
  kernels.causal_conv = launch_causal_conv;
}

}  // namespace skald::gpu
