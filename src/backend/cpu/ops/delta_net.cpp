#include "graph/ops/delta_net.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/sequence_rows.h"

namespace skald {
namespace {

struct Sizes {
  int64_t d_k, d_v;  // of a head

  int64_t state_floats() const { return d_k * d_v; }
  int64_t scratch_floats() const { return 4 * d_k + d_v; }
};

Sizes sizes_of(const DeltaNet& a, int64_t key_cols, int64_t value_cols) {
  return {key_cols / a.key_heads, value_cols / a.heads};
}

// x to the given length.
void to_length(const float* x, int64_t n, float length, float eps, float* y) {
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  const float factor = length / static_cast<float>(std::sqrt(squares + static_cast<double>(eps)));
  for (int64_t i = 0; i < n; ++i) y[i] = factor * x[i];
}

/// One head's walk along the rows of a sequence.
class Head {
 public:
  Head(const CpuContext& cx, const DeltaNet& a, const OpArgs& io, int64_t head, float* scratch)
      : cx_(cx),
        a_(a),
        io_(io),
        s_(sizes_of(a, io.in[0].cols(), io.in[2].cols())),
        head_(head),
        key_head_(a.tiled ? head % a.key_heads : head / (a.heads / a.key_heads)),
        query_(scratch),
        key_(query_ + s_.d_k),
        decay_(key_ + s_.d_k),
        weights_(decay_ + s_.d_k),
        value_(weights_ + s_.d_k) {}

  void walk(const SequenceRows& rows) {
    float* const state = cx_.step->kv.state(a_.slot, rows.sequence) + head_ * s_.state_floats();
    for (int64_t r = rows.first; r < rows.first + rows.n; ++r) step(r, state);
  }

 private:
  void step(int64_t r, float* state) {
    to_length(io_.in[0].row(r) + key_head_ * s_.d_k, s_.d_k, 1.0f / std::sqrt(static_cast<float>(s_.d_k)), a_.eps, query_);
    to_length(io_.in[1].row(r) + key_head_ * s_.d_k, s_.d_k, 1.0f, a_.eps, key_);
    decays(io_.in[3].row(r));
    cx_.kernels.mul(decay_, key_, weights_, s_.d_k);
    cx_.kernels.read_state(state, weights_, value_, s_.d_k, s_.d_v);  // the state's value of the key
    const float* v = io_.in[2].row(r) + head_ * s_.d_v;
    const float beta = io_.in[4].row(r)[head_];
    for (int64_t i = 0; i < s_.d_v; ++i) value_[i] = beta * (v[i] - value_[i]);
    cx_.kernels.update_state({.state = state,
                              .decay = decay_,
                              .keys = key_,
                              .values = value_,
                              .queries = query_,
                              .out = io_.out.row(r) + head_ * s_.d_v,
                              .n = s_.d_k,
                              .d = s_.d_v});
  }

  void decays(const float* g) {
    const float a = io_.in[5].as()[head_];
    if (io_.in[3].cols() == a_.heads)
      std::fill_n(decay_, s_.d_k, std::exp(g[head_] * a));
    else
      for (int64_t i = 0; i < s_.d_k; ++i) decay_[i] = std::exp(g[head_ * s_.d_k + i] * a);
  }

  const CpuContext& cx_;
  const DeltaNet& a_;
  const OpArgs& io_;
  Sizes s_;
  int64_t head_, key_head_;
  float *query_, *key_, *decay_, *weights_, *value_;
};

int64_t plan(const DeltaNet& a, const CpuPlanArgs& args) {
  const Sizes s = sizes_of(a, args.in[0].shape[1], args.in[2].shape[1]);
  return s.scratch_floats() * static_cast<int64_t>(sizeof(float)) * args.n_threads;
}

void run(CpuContext& cx, const DeltaNet& a, const OpArgs& io) {
  const Sizes s = sizes_of(a, io.in[0].cols(), io.in[2].cols());
  for_head_sequences(
      cx, a.heads, io.out.rows(), s.state_floats(), s.scratch_floats(),
      [&](int64_t head, const SequenceRows& rows, float* scratch) { Head(cx, a, io, head, scratch).walk(rows); });
}

}  // namespace

extern const CpuOp cpu_delta_net;
const CpuOp cpu_delta_net = implement<DeltaNet, run, plan>(op_delta_net);

}  // namespace skald
