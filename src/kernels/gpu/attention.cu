// Attention of any head size, group, window and bias over pages of floats. Correct for all of them; bound: the arithmetic of
// one thread per key.
#include "kernels/gpu/attention.h"

#include "kernels/gpu/cache.inl"
#include "kernels/gpu/kernel_table.h"

namespace skald::gpu {
namespace {

constexpr int kThreads = kPageKeys;  // a thread per key of a page, then for every kThreads-th dimension
constexpr int kMaxDims = (kMaxValueColumns + kThreads - 1) / kThreads;
constexpr float kLog2E = 1.44269504f;
constexpr float kLeast = -3.0e38f;

struct Shared {
  float q[kMaxKeyColumns];
  float scores[kThreads], weights[kThreads];  // of a page
};

/// One head of one row.
struct Place {
  int64_t row, head, position;
};

/// Slots of keys, and the position of slot 0.
struct Slots {
  int64_t begin, end, first;
};

/// Weighted values: with the weights 2^(score - top), scores being in powers of two.
struct Sums {
  float top = kLeast, total = 0;
  float values[kMaxDims] = {};
};

SIMT_DEV void load_query(const AttentionArgs& a, const Matrix& q, const Place& at, Shared& s) {
  simt::sync_block();
  for (int64_t i = simt::thread(); i < a.d_k; i += kThreads)
    s.q[i] = q.data[at.row * q.step + at.head * a.d_k + i] * a.scale;
  simt::sync_block();
}

// The bias of a key at this distance from the row, key - row.
SIMT_DEV float bias_of(const AttentionArgs& a, int64_t head, int64_t distance) {
  float bias = a.slopes ? a.slopes[head] * static_cast<float>(distance) : 0;
  if (a.biases) {
    const int64_t near = at_least(at_most(distance, a.reach), -a.reach);
    bias += a.biases[head * (2 * a.reach + 1) + a.reach + near];
  }
  return bias;
}

SIMT_DEV float score_of(const AttentionArgs& a, const SequenceKv& kv, const Place& at, const Slots& slots, int64_t slot,
                        const Shared& s) {
  const Cached key = key_of(kv, at.head / a.group, slot);
  float score = 0;
  for (int64_t i = 0; i < a.d_k; ++i) score = simt::fma1(s.q[i], load_cached(key, i), score);
  if (a.softcap > 0) score = a.softcap * simt::hyperbolic_tangent(score / a.softcap);
  return (score + bias_of(a, at.head, slot + slots.first - at.position)) * kLog2E;
}

// Takes the keys of a page that lie within `slots`.
SIMT_DEV void attend_page(const AttentionArgs& a, const SequenceKv& kv, const Place& at, const Slots& slots, int64_t page,
                          Shared& s, Sums& sums) {
  const int64_t mine = page * kPageKeys + simt::thread();
  const bool seen = mine >= slots.begin && mine < slots.end;
  const float score = seen ? score_of(a, kv, at, slots, mine, s) : kLeast;
  s.scores[simt::thread()] = score;
  simt::sync_block();
  float top = sums.top;
  for (int i = 0; i < kThreads; ++i) top = simt::largest(s.scores[i], top);
  s.weights[simt::thread()] = seen ? simt::power_of_2(score - top) : 0;
  simt::sync_block();
  const float shrink = simt::power_of_2(sums.top - top);
  sums.top = top;
  sums.total *= shrink;
  for (float& v : sums.values) v *= shrink;
  const int64_t first = at_least(slots.begin - page * kPageKeys, int64_t{0});
  const int64_t end = at_most(slots.end - page * kPageKeys, kPageKeys);
  for (int64_t i = first; i < end; ++i) {
    const float weight = s.weights[i];
    const Cached value = value_of(kv, at.head / a.group, page * kPageKeys + i);
    sums.total += weight;
#pragma unroll
    for (int d = 0; d < kMaxDims; ++d)
      if (const int64_t column = d * kThreads + simt::thread(); column < a.d_v)
        sums.values[d] = simt::fma1(weight, load_cached(value, column), sums.values[d]);
  }
}

SIMT_DEV void attend(const AttentionArgs& a, const SequenceKv& kv, const Place& at, const Slots& slots, Shared& s,
                     Sums& sums) {
  for (int64_t page = slots.begin / kPageKeys; page * kPageKeys < slots.end; ++page)
    attend_page(a, kv, at, slots, page, s, sums);
}

// What a row sees after the kept keys: as KeyWindow has it.
SIMT_DEV Slots window_of(const AttentionArgs& a, const SequenceKv& kv, int64_t position) {
  const int64_t end = position + 1;
  int64_t begin = a.window ? at_least<int64_t>(0, end - (a.around ? a.window / 2 + 1 : a.window)) : 0;
  if (a.chunk) begin = at_least(begin, position / a.chunk * a.chunk);
  int64_t last = at_least(end, kv.prefix + kv.shift);
  if (a.around && a.window) last = at_most(last, end + a.window / 2);
  return {at_least(kv.begin, begin - kv.shift), last - kv.shift, kv.shift};
}

SIMT_DEV void store(const AttentionArgs& a, const Place& at, Sums& sums) {
  if (a.sink_logits) {
    const float sink = a.sink_logits[at.head] * kLog2E, top = simt::largest(sums.top, sink);
    const float shrink = simt::power_of_2(sums.top - top);
    sums.total = sums.total * shrink + simt::power_of_2(sink - top);
    for (float& v : sums.values) v *= shrink;
  }
  float* out = a.out.data + at.row * a.out.step + at.head * a.d_v;
#pragma unroll
  for (int d = 0; d < kMaxDims; ++d)
    if (const int64_t column = d * kThreads + simt::thread(); column < a.d_v) out[column] = sums.values[d] / sums.total;
}

// A block per head of a row.
SIMT_KERNEL void attention(AttentionArgs a) {
  Shared& s = simt::shared<Shared>();
  simt::wait_for_previous();
  if (!has_row(a.rows, simt::block_y())) return;
  const int64_t row = simt::block_y(), step_row = a.numbers ? a.numbers[row] : row;
  const Place at{row, simt::block_x(), a.step.positions[step_row]};
  const SequenceKv& kv = a.step.kv[a.step.sequences[step_row]];
  const Slots window = window_of(a, kv, at.position);
  Sums sums;
  if (kv.kept) {
    load_query(a, a.q_kept.data ? a.q_kept : a.q, at, s);
    attend(a, kv, at, {0, at_most(kv.kept, window.end), kv.dropped}, s, sums);
  }
  load_query(a, a.q, at, s);
  attend(a, kv, at, window, s, sums);
  store(a, at, sums);
}

void launch_attention(simt::Stream stream, const AttentionArgs& a, int64_t rows) {
  const simt::Grid grid{static_cast<unsigned>(a.heads), static_cast<unsigned>(rows)};
  simt::launch<attention>(stream, {grid, kThreads, sizeof(Shared)}, a);
}

}  // namespace

template <>
void fill_attention<simt::Target>(GpuKernels& kernels) {
  kernels.attention = launch_attention;
}

}  // namespace skald::gpu
