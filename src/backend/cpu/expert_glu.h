// The first half of a gated feed-forward by experts: of all, or of a rank's part of them.
#pragma once

#include <algorithm>

#include "backend/cpu/cpu_op.h"
#include "backend/cpu/experts.h"
#include "backend/cpu/low_rank.h"
#include "base/checked.h"
#include "graph/expert_inputs.h"
#include "tensor/activation.h"

namespace skald {

/// Scratch: the step by experts, activations for the gate, for up should it want another form, two blocks per thread.
struct ExpertGluParts {
  int64_t step, gate, up, block;  // bytes

  ExpertGluParts(const KernelTable& kernels, const Shape& x, int64_t k, const TensorView& gate_w, const TensorView& up_w)
      : step(ExpertStep::scratch_bytes(x[0], k, gate_w.shape()[0])),
        gate(picked_scratch(kernels, x, x[0] * k, gate_w)),
        up(picked_scratch(kernels, x, x[0] * k, up_w)),
        block(block_floats(x[0]) * static_cast<int64_t>(sizeof(float))) {}
};

inline int64_t plan_expert_glu(const CpuPlanArgs& args) {
  const ExpertGluParts parts(args.kernels, args.in[0].shape, args.in[3].shape[1], args.views[1], args.views[2]);
  return parts.step + parts.gate + parts.up + args.n_threads * 2 * parts.block;
}

class ExpertGluRun {
 public:
  /// The weights have the experts from `first` on.
  ExpertGluRun(CpuContext& cx, Activation function, const OpArgs& io, int64_t first = 0)
      : cx_(cx),
        combine_(cx.kernels.glu[static_cast<size_t>(function)]),
        io_(io),
        more_(expert_inputs(io.in, 4, 2)),
        k_(io.in[3].cols()),
        n_(io.in[1].shape()[1]),
        parts_(cx.kernels, io.in[0].shape(), k_, io.in[1], io.in[2]),
        step_(io.in[3], io.in[1].shape()[0], cx.scratch, first),
        for_gate_(prepare_picked(cx, io.in[0], step_.tokens(), io.in[1], cx.scratch + parts_.step)),
        for_up_(serves(cx.kernels, for_gate_, io.in[2])
                    ? for_gate_
                    : prepare_picked(cx, io.in[0], step_.tokens(), io.in[2], cx.scratch + parts_.step + parts_.gate)),
        adapters_(cx) {
    add_adapters();
  }

  void run() {
    adapters_.down_all(cx_.pool);
    step_.outputs(cx_.pool, n_, [this](const ExpertRows& e, int64_t begin, int64_t end, int thread) {
      const int64_t most = outputs_at_once(e.n);
      for (int64_t from = begin; from < end; from += most) outputs(e, from, std::min(from + most, end), thread);
    });
  }

 private:
  static size_t gate_part(int64_t row) { return static_cast<size_t>(2 * row); }
  static size_t up_part(int64_t row) { return gate_part(row) + 1; }

  // Each row of each expert is a part.
  void add_adapters() {
    if (!cx_.adapters) return;
    for (const ExpertRows& e : step_.experts())
      for (int64_t i = e.first; i < e.first + e.n; ++i) {
        const int64_t token = step_.tokens()[static_cast<size_t>(i)];
        const TensorView x = row_of(io_.in[0], token);
        adapters_.add_row(gate_part(i), 1, token, x, e.expert);
        adapters_.add_row(up_part(i), 2, token, x, e.expert);
      }
  }

  void outputs(const ExpertRows& e, int64_t from, int64_t to, int thread) const {
    const int64_t width = to - from;
    std::byte* blocks = cx_.scratch + parts_.step + parts_.gate + parts_.up + thread * 2 * parts_.block;
    auto *gate = reinterpret_cast<float*>(blocks), *up = reinterpret_cast<float*>(blocks + parts_.block);
    multiply(cx_.kernels, matrix_of(io_.in[1], e.expert), from_row(for_gate_, e.first), e.n, from, to, gate, width);
    if (!adapters_.empty())
      for (int64_t i = 0; i < e.n; ++i) adapters_.up(gate_part(e.first + i), from, to, gate + i * width, width);
    // Experts without a gate are gates of themselves: their weights are read once.
    if (io_.in[1].data == io_.in[2].data)
      std::copy_n(gate, e.n * width, up);
    else
      multiply_up(e, from, to, up);
    for (int64_t i = 0; i < e.n; ++i, gate += width, up += width) {
      if (more_.scale) {
        cx_.kernels.scale(io_.in[more_.scale].as()[e.expert], gate, gate, width);
        cx_.kernels.scale(io_.in[more_.scale + 1].as()[e.expert], up, up, width);
      }
      if (more_.bias) {
        cx_.kernels.add(gate, io_.in[more_.bias].row(e.expert) + from, gate, width);
        cx_.kernels.add(up, io_.in[more_.bias + 1].row(e.expert) + from, up, width);
      }
      const int64_t slot = step_.slots()[static_cast<size_t>(e.first + i)];
      combine_(gate, up, io_.out.row(slot / k_) + slot % k_ * n_ + from, width);
    }
  }

  void multiply_up(const ExpertRows& e, int64_t from, int64_t to, float* up) const {
    const int64_t width = to - from;
    multiply(cx_.kernels, matrix_of(io_.in[2], e.expert), from_row(for_up_, e.first), e.n, from, to, up, width);
    if (!adapters_.empty())
      for (int64_t i = 0; i < e.n; ++i) adapters_.up(up_part(e.first + i), from, to, up + i * width, width);
  }

  CpuContext& cx_;
  GluFn combine_;
  const OpArgs& io_;
  ExpertInputs more_;
  int64_t k_, n_;
  ExpertGluParts parts_;
  ExpertStep step_;
  MatmulInput for_gate_, for_up_;
  LowRankPass adapters_;
};

}  // namespace skald
