#include "graph/ops/causal_conv.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "backend/cpu/ops/rowwise.h"
#include "backend/cpu/sequence_rows.h"
#include "base/error.h"

namespace skald {
namespace {

// This many channels are worked on together: their taps and the rows before stay in L1.
constexpr int64_t kChannels = 64, kMostTaps = 16;

struct Block {
  int64_t first, n;  // channels
  std::array<float, kMostTaps * kChannels> taps;
  std::array<float, kChannels> bias;
};

Block block_of(const CausalConv& a, const OpArgs& io, int64_t first) {
  Block b{.first = first, .n = std::min(kChannels, io.out.cols() - first), .taps = {}, .bias = {}};
  for (int64_t c = 0; c < b.n; ++c) {
    const float* w = io.in[1].row(first + c);
    for (int64_t t = 0; t < a.taps; ++t) b.taps[static_cast<size_t>(t * kChannels + c)] = w[t];
    if (io.in.size() == 3) b.bias[static_cast<size_t>(c)] = io.in[2].row(0)[first + c];
  }
  return b;
}

// Row t of x, counted from the sequence's first one in this step; those before it are in the state.
const float* row_before(const OpArgs& io, const SequenceRows& rows, const float* state, int64_t t, int64_t kept) {
  return t < 0 ? state + (t + kept) * io.out.cols() : io.in[0].row(rows.first + t);
}

void convolve(const KernelTable& kernels, const CausalConv& a, const OpArgs& io, const SequenceRows& rows, float* state,
              const Block& b) {
  const int64_t kept = a.taps - 1;
  std::array<const float*, kMostTaps> before;
  for (int64_t r = 0; r < rows.n; ++r) {
    for (int64_t t = 0; t < a.taps; ++t)
      before[static_cast<size_t>(t)] = row_before(io, rows, state, r - kept + t, kept) + b.first;
    float* y = io.out.row(rows.first + r) + b.first;
    kernels.conv_row({.rows = before.data(),
                      .weights = b.taps.data(),
                      .bias = b.bias.data(),
                      .out = y,
                      .taps = a.taps,
                      .stride = kChannels,
                      .n = b.n});
    if (a.silu) kernels.activation[static_cast<size_t>(Activation::kSilu)](y, y, b.n);
  }
  // The oldest first: a row that stays moves up before it is written over.
  for (int64_t t = 0; t < kept; ++t)
    std::memmove(state + t * io.out.cols() + b.first, row_before(io, rows, state, rows.n - kept + t, kept) + b.first,
                 static_cast<size_t>(b.n) * sizeof(float));
}

int64_t plan(const CausalConv& a, const CpuPlanArgs&) {
  if (a.taps > kMostTaps) fail(Errc::kUnsupported, "{} taps; the most here are {}", a.taps, kMostTaps);
  return 0;
}

void run(CpuContext& cx, const CausalConv& a, const OpArgs& io) {
  const int64_t n = io.out.cols(), n_blocks = (n + kChannels - 1) / kChannels;
  const auto blocks = [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const Block block = block_of(a, io, i * kChannels);
      for_sequences(cx.step->kv, io.out.rows(), [&](const SequenceRows& rows) {
        convolve(cx.kernels, a, io, rows, cx.step->kv.state(a.slot, rows.sequence), block);
      });
    }
  };
  if (io.out.rows() * n * a.taps < kForkElements)
    blocks(0, n_blocks, 0);
  else
    cx.pool.ranges(n_blocks, 1, blocks);
}

}  // namespace

extern const CpuOp cpu_causal_conv;
const CpuOp cpu_causal_conv = implement<CausalConv, run, plan>(op_causal_conv);

}  // namespace skald
