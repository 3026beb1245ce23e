// The gated delta rule over the rows of each sequence. Bound: reading and writing the states, twice for each row.
#include "kernels/gpu/delta_net.h"

#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 64;

/// What all columns of a head's state take of a row.
struct Shared {
  float query[kMaxDeltaKeys], key[kMaxDeltaKeys], decay[kMaxDeltaKeys];  // (d_k)
};

// What brings x to the given length.
SIMT_DEV float factor_to_length(const float* x, int64_t n, float length, float eps) {
  float squares = 0;
  for (int64_t i = 0; i < n; ++i) squares = simt::fma1(x[i], x[i], squares);
  return length * simt::inv_sqrt(squares + eps);
}

SIMT_DEV void load_row(const DeltaNetArgs& a, int64_t row, int64_t head, Shared& s) {
  const int64_t key_head = a.tiled ? head % a.key_heads : head / (a.heads / a.key_heads);
  const float *q = a.q.data + row * a.q.step + key_head * a.d_k, *k = a.k.data + row * a.k.step + key_head * a.d_k;
  const float* decays = a.decays.data + row * a.decays.step;
  const float for_q = factor_to_length(q, a.d_k, simt::inv_sqrt(static_cast<float>(a.d_k)), a.eps);
  const float for_k = factor_to_length(k, a.d_k, 1, a.eps);
  simt::sync_block();
  for (int64_t i = simt::thread(); i < a.d_k; i += kThreads) {
    s.query[i] = for_q * q[i];
    s.key[i] = for_k * k[i];
    s.decay[i] = simt::exponential((a.decay_by_row ? decays[head * a.d_k + i] : decays[head]) * a.rates[head]);
  }
  simt::sync_block();
}

// One row of one column of a head's state (d_k, d_v).
SIMT_DEV float update(const DeltaNetArgs& a, const Shared& s, float v, float beta, float* state) {
  float known = 0;  // the state's value of the key
  for (int64_t i = 0; i < a.d_k; ++i) known = simt::fma1(s.decay[i] * s.key[i], state[i * a.d_v], known);
  const float value = beta * (v - known);
  float sum = 0;
  for (int64_t i = 0; i < a.d_k; ++i) {
    float& x = state[i * a.d_v];
    x = simt::fma1(s.key[i], value, s.decay[i] * x);
    sum = simt::fma1(s.query[i], x, sum);
  }
  return sum;
}

// A block per head of a sequence, a thread per column of its state.
SIMT_KERNEL void delta_net(DeltaNetArgs a) {
  Shared& s = simt::shared<Shared>();
  const int64_t head = simt::block_x(), sequence = simt::block_y();
  if (!begin_row(a.step.count, sequence)) return;
  const SequenceRows rows = a.step.rows[sequence];
  float* state = a.step.states[sequence] + head * a.d_k * a.d_v;
  for (int64_t row = rows.first; row < rows.first + rows.n; ++row) {
    load_row(a, row, head, s);
    const float beta = a.betas.data[row * a.betas.step + head];
    for (int64_t c = simt::thread(); c < a.d_v; c += kThreads)
      a.out.data[row * a.out.step + head * a.d_v + c] =
          update(a, s, a.v.data[row * a.v.step + head * a.d_v + c], beta, state + c);
  }
}

void launch_delta_net(simt::Stream stream, const DeltaNetArgs& a, int64_t rows) {
  const simt::Grid grid{static_cast<unsigned>(a.heads), static_cast<unsigned>(rows)};
  launch_early<delta_net>(stream, {grid, kThreads, sizeof(Shared)}, a);
}

}  // namespace

template <>
void fill_delta_net<simt::Target>(GpuKernels& kernels) {
  kernels.delta_net = launch_delta_net;
}

}  // namespace skald::gpu
