#include "graph/ops/state_space.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/sequence_rows.h"

namespace skald {
namespace {

struct Sizes {
  int64_t d, state;  // of a head

  int64_t state_floats() const { return d * state; }
  int64_t scratch_floats() const { return d + state; }
};

Sizes sizes_of(const StateSpace& a, int64_t x_cols, int64_t b_cols) { return {x_cols / a.heads, b_cols / a.groups}; }

void scan(const CpuContext& cx, const StateSpace& a, const OpArgs& io, const SequenceRows& rows, int64_t head,
          float* scratch) {
  const Sizes s = sizes_of(a, io.in[0].cols(), io.in[1].cols());
  const int64_t group = head / (a.heads / a.groups);
  float *const values = scratch, *const decay = scratch + s.d;
  float* const state = cx.step->kv.state(a.slot, rows.sequence) + head * s.state_floats();
  const float rate = io.in[4].row(0)[head], skip = io.in[5].row(0)[head];
  for (int64_t r = rows.first; r < rows.first + rows.n; ++r) {
    const float *x = io.in[0].row(r) + head * s.d, dt = io.in[3].row(r)[head];
    float* y = io.out.row(r) + head * s.d;
    cx.kernels.scale(dt, x, values, s.d);
    std::fill_n(decay, s.state, std::exp(dt * rate));
    cx.kernels.update_state({.state = state,
                             .decay = decay,
                             .keys = io.in[1].row(r) + group * s.state,
                             .values = values,
                             .queries = io.in[2].row(r) + group * s.state,
                             .out = y,
                             .n = s.state,
                             .d = s.d});
    cx.kernels.add_scaled(skip, x, y, s.d);
  }
}

int64_t plan(const StateSpace& a, const CpuPlanArgs& args) {
  const Sizes s = sizes_of(a, args.in[0].shape[1], args.in[1].shape[1]);
  return s.scratch_floats() * static_cast<int64_t>(sizeof(float)) * args.n_threads;
}

void run(CpuContext& cx, const StateSpace& a, const OpArgs& io) {
  const Sizes s = sizes_of(a, io.in[0].cols(), io.in[1].cols());
  for_head_sequences(cx, a.heads, io.out.rows(), s.state_floats(), s.scratch_floats(),
                     [&](int64_t head, const SequenceRows& rows, float* scratch) { scan(cx, a, io, rows, head, scratch); });
}

}  // namespace

extern const CpuOp cpu_state_space;
const CpuOp cpu_state_space = implement<StateSpace, run, plan>(op_state_space);

}  // namespace skald
