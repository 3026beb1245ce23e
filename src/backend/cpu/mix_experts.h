// The second half of a feed-forward by experts: of all, or of a rank's part of them.
#pragma once

#include <algorithm>

#include "backend/cpu/cpu_op.h"
#include "backend/cpu/experts.h"
#include "backend/cpu/low_rank.h"
#include "base/error.h"
#include "graph/expert_inputs.h"

namespace skald {

/// A token's experts are rows of their own: (tokens, k * n) is (tokens * k, n).
inline Shape split_rows(const Shape& h, int64_t k) { return Shape{h[0] * k, h[1] / k}; }

/// Scratch: the step by experts, activations, a block per thread.
struct MixExpertsParts {
  int64_t step, act, block;  // bytes

  MixExpertsParts(const KernelTable& kernels, const Shape& h, int64_t k, const TensorView& w)
      : step(ExpertStep::scratch_bytes(h[0], k, w.shape()[0])),
        act(picked_scratch(kernels, split_rows(h, k), h[0] * k, w)),
        block(block_floats(h[0]) * static_cast<int64_t>(sizeof(float))) {}
};

inline int64_t plan_mix_experts(const CpuPlanArgs& args) {
  const MixExpertsParts parts(args.kernels, args.in[0].shape, args.in[2].shape[1], args.views[1]);
  return parts.step + parts.act + args.n_threads * parts.block;
}

class MixExpertsRun {
 public:
  /// The weights have the experts from `first` on.
  MixExpertsRun(CpuContext& cx, const OpArgs& io, int64_t first = 0)
      : cx_(cx),
        io_(io),
        more_(expert_inputs(io.in, 4, 1)),
        k_(io.in[2].cols()),
        parts_(cx.kernels, io.in[0].shape(), k_, io.in[1]),
        step_(io.in[2], io.in[1].shape()[0], cx.scratch, first),
        x_(prepare_picked(cx, slot_rows(), step_.slots(), io.in[1], cx.scratch + parts_.step)),
        adapters_(cx) {
    add_adapters();
  }

  // Every thread adds up its own outputs of all experts: that takes equally long however the tokens are spread.
  void run() {
    adapters_.down_all(cx_.pool);
    const int64_t most = outputs_at_once(io_.out.rows());
    cx_.pool.guided(io_.out.cols(), kOutputGrain, [this, most](int64_t begin, int64_t end, int thread) {
      for (int64_t from = begin; from < end; from += most) {
        const int64_t to = std::min(from + most, end);
        for (int64_t t = 0; t < io_.out.rows(); ++t) std::fill_n(io_.out.row(t) + from, to - from, 0.0f);
        for (const ExpertRows& e : step_.experts()) add(e, from, to, thread);
      }
    });
  }

 private:
  TensorView slot_rows() const {
    TensorView h = io_.in[0];
    SKALD_ASSERT(h.row_step() == h.cols());  // no columns of a wider value
    h.desc.shape = split_rows(h.shape(), k_);
    return h;
  }

  // Each row of each expert is a part.
  void add_adapters() {
    if (!cx_.adapters) return;
    const TensorView h = slot_rows();
    for (const ExpertRows& e : step_.experts())
      for (int64_t i = e.first; i < e.first + e.n; ++i) {
        const int64_t slot = step_.slots()[static_cast<size_t>(i)];
        adapters_.add_row(static_cast<size_t>(i), 1, slot / k_, row_of(h, slot), e.expert);
      }
  }

  void add(const ExpertRows& e, int64_t from, int64_t to, int thread) const {
    const int64_t width = to - from;
    auto* block = reinterpret_cast<float*>(cx_.scratch + parts_.step + parts_.act + thread * parts_.block);
    multiply(cx_.kernels, matrix_of(io_.in[1], e.expert), from_row(x_, e.first), e.n, from, to, block, width);
    for (int64_t i = 0; i < e.n; ++i, block += width) {
      const int64_t slot = step_.slots()[static_cast<size_t>(e.first + i)], token = slot / k_;
      adapters_.up(static_cast<size_t>(e.first + i), from, to, block, width);
      if (more_.scale) cx_.kernels.scale(io_.in[more_.scale].as()[e.expert], block, block, width);
      if (more_.bias) cx_.kernels.add(block, io_.in[more_.bias].row(e.expert) + from, block, width);
      cx_.kernels.add_scaled(io_.in[3].row(token)[slot % k_], block, io_.out.row(token) + from, width);
    }
  }

  CpuContext& cx_;
  const OpArgs& io_;
  ExpertInputs more_;
  int64_t k_;
  MixExpertsParts parts_;
  ExpertStep step_;
  MatmulInput x_;
  LowRankPass adapters_;
};

}  // namespace skald
