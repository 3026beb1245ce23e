// Feed-forwards by the experts that each token goes to: both halves. Correct for all shapes; bound: the arithmetic of
// decoding.
#include "kernels/gpu/activations.inl"
#include "kernels/gpu/formats.h"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/products.inl"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 64;  // outputs of a block

// One output of one expert.
template <class Format>
SIMT_DEV float expert_product(const ExpertWeights& w, int64_t expert, int64_t output, const float* x) {
  const int64_t at = expert * w.rows.rows + output;
  float y = product<Format>(w.rows.data + at * w.rows.row_bytes, x, w.rows.columns);
  if (w.scales) y *= w.scales[expert];
  return w.biases ? y + w.biases[at] : y;
}

template <Activation kFunction = Activation{}>
SIMT_DEV float gated_by(Activation function, float gate, float up) {
  if (function == kFunction) return gated<kFunction>(gate, up);
  constexpr auto kNext = static_cast<size_t>(kFunction) + 1;
  if constexpr (kNext < kActivations) return gated_by<static_cast<Activation>(kNext)>(function, gate, up);
  return gate;
}

// A thread per output of one of a row's experts. `combines`: it meets the gate, which lies there.
template <class Format>
SIMT_KERNEL void expert_linear(ExpertLinearArgs a) {
  const int64_t row = simt::block_y(), slot = simt::block_z();
  const int64_t output = int64_t{simt::block_x()} * kThreads + simt::thread(), n = a.weights.rows.rows;
  if (!begin_row(a.rows, row) || output >= n) return;
  const int32_t expert = a.choice.ids[row * a.choice.step + slot];
  const float y = expert_product<Format>(a.weights, expert, output, a.x.data + row * a.x.step);
  float& out = a.out.data[row * a.out.step + slot * n + output];
  out = a.combines ? gated_by(a.function, out, y) : y;
}

template <class Format>
void launch_expert_linear(simt::Stream stream, const ExpertLinearArgs& a, int64_t rows) {
  const simt::Grid grid{blocks_for(a.weights.rows.rows, kThreads), static_cast<unsigned>(rows),
                        static_cast<unsigned>(a.choice.n)};
  launch_early<expert_linear<Format>>(stream, {grid, kThreads}, a);
}

// The slot of the least expert after the one in `last`, equal ones in their order; -1: of all.
SIMT_DEV int64_t next_slot(const int32_t* ids, int64_t n, int64_t last) {
  int64_t best = -1;
  for (int64_t i = 0; i < n; ++i) {
    const bool after = last < 0 || ids[i] > ids[last] || (ids[i] == ids[last] && i > last);
    if (after && (best < 0 || ids[i] < ids[best])) best = i;
  }
  return best;
}

// A thread per output of a row: experts are added by rising id.
template <class Format>
SIMT_KERNEL void mix_experts(MixExpertsArgs a) {
  const int64_t row = simt::block_y(), output = int64_t{simt::block_x()} * kThreads + simt::thread();
  if (!begin_row(a.rows, row) || output >= a.weights.rows.rows) return;
  const int32_t* ids = a.choice.ids + row * a.choice.step;
  const float *x = a.x.data + row * a.x.step, *shares = a.shares.data + row * a.shares.step;
  float sum = 0;
  int64_t slot = -1;
  for (int64_t i = 0; i < a.choice.n; ++i) {
    slot = next_slot(ids, a.choice.n, slot);
    const float y = expert_product<Format>(a.weights, ids[slot], output, x + slot * a.weights.rows.columns);
    sum = simt::fma1(shares[slot], y, sum);
  }
  a.out.data[row * a.out.step + output] = sum;
}

template <class Format>
void launch_mix_experts(simt::Stream stream, const MixExpertsArgs& a, int64_t rows) {
  const simt::Grid grid{blocks_for(a.weights.rows.rows, kThreads), static_cast<unsigned>(rows)};
  launch_early<mix_experts<Format>>(stream, {grid, kThreads}, a);
}

}  // namespace

template <>
void fill_experts<simt::Target>(GpuKernels& kernels) {
  for_each_format([&]<class Format>() {
    kernels.expert_linear[Format::kId] = launch_expert_linear<Format>;
    kernels.mix_experts[Format::kId] = launch_mix_experts<Format>;
  });
}

}  // namespace skald::gpu
