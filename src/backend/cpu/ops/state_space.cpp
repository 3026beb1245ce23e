#include "graph/ops/state_space.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/sequence_rows.h"

namespace skald {
namespace {

constexpr int64_t kRows = 16;  // that go through a state together

struct Sizes {
  int64_t d, state;  // of a head

  int64_t state_floats() const { return d * state; }
  int64_t scratch_floats() const { return kRows * (d + 1); }
};

Sizes sizes_of(const StateSpace& a, int64_t x_cols, int64_t b_cols) { return {x_cols / a.heads, b_cols / a.groups}; }

void scan(const CpuContext& cx, const StateSpace& a, const OpArgs& io, const SequenceRows& rows, int64_t head,
          float* scratch) {
  const Sizes s = sizes_of(a, io.in[0].cols(), io.in[1].cols());
  const int64_t group = head / (a.heads / a.groups);
  float *const values = scratch, *const decays = scratch + kRows * s.d;  // (kRows, d), (kRows)
  float* const state = cx.step->kv.state(a.slot, rows.sequence) + head * s.state_floats();
  const float rate = io.in[4].row(0)[head], skip = io.in[5].row(0)[head];
  const auto x = [&](int64_t r) { return io.in[0].row(r) + head * s.d; };
  const auto y = [&](int64_t r) { return io.out.row(r) + head * s.d; };
  for (int64_t first = rows.first, end = rows.first + rows.n; first < end; first += kRows) {
    const int64_t n = std::min(kRows, end - first);
    for (int64_t i = 0; i < n; ++i) {
      const float dt = io.in[3].row(first + i)[head];
      decays[i] = std::exp(dt * rate);
      cx.kernels.scale(dt, x(first + i), values + i * s.d, s.d);
    }
    cx.kernels.scan_state({.state = state,
                           .decays = decays,
                           .keys = io.in[1].row(first) + group * s.state,
                           .queries = io.in[2].row(first) + group * s.state,
                           .values = values,
                           .out = y(first),
                           .key_stride = io.in[1].row_step(),
                           .query_stride = io.in[2].row_step(),
                           .value_stride = s.d,
                           .out_stride = io.out.row_step(),
                           .tokens = n,
                           .n = s.state,
                           .d = s.d});
    for (int64_t r = first; r < first + n; ++r) cx.kernels.add_scaled(skip, x(r), y(r), s.d);
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
