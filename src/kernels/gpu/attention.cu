// Attention of any head size, group, window and bias over pages of floats. Correct for all of them; bound: the arithmetic of
// one thread per key.
#include "kernels/gpu/attention.h"

#include "kernels/gpu/attention_rows.inl"
#include "kernels/gpu/cache_blocks.inl"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/seen_keys.inl"

namespace skald::gpu {
namespace {

static_assert(kMaxKeyColumns >= kMaxValueColumns && kMaxKeyColumns % kCachedBlock == 0 &&
              kMaxValueColumns % kCachedBlock == 0);
constexpr int kThreads = kPageKeys;  // a thread per key of a part, then for every kThreads-th dimension
constexpr int kMaxDims = (kMaxValueColumns + kThreads - 1) / kThreads;
constexpr float kLeast = -3.0e38f;

struct Shared {
  float q[kMaxKeyColumns];                    // then transformed values
  float scores[kThreads], weights[kThreads];  // of a part of the keys
};

/// One head of one row.
struct Place {
  int64_t row, head, position;
};

/// Keys in order: slots, or slots that places name; and the position of slot 0.
struct Keys {
  int64_t begin, end, first;
  const int32_t* places;  // null: key i is in slot i
  int64_t offset;         // of slots to places
  SIMT_DEV int64_t slot(int64_t i) const { return places ? places[i] + offset : i; }
};

/// Weighted values: with the weights 2^(score - top), scores being in powers of two.
struct Sums {
  float top = kLeast, total = 0;
  float values[kMaxDims] = {};
};

// Numbers of a key and of a value as they meet queries and weights: more than a head has where rows were transformed.
SIMT_DEV int64_t key_columns(const AttentionArgs& a, const SequenceKv& kv) {
  return kv.k_rotated ? cached_columns(kv.k_format, a.d_k) : a.d_k;
}
SIMT_DEV int64_t value_columns(const AttentionArgs& a, const SequenceKv& kv) {
  return kv.v_rotated ? cached_columns(kv.v_format, a.d_v) : a.d_v;
}

SIMT_DEV void load_query(const AttentionArgs& a, const SequenceKv& kv, const Matrix& q, const Place& at, Shared& s) {
  const float* row = q.data + at.row * q.step + at.head * a.d_k;
  load_row(row, a.d_k, a.scale, key_columns(a, kv), kv.k_rotated, s.q);
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

SIMT_DEV float score_of(const AttentionArgs& a, const SequenceKv& kv, const Place& at, int64_t slot, int64_t position,
                        const Shared& s) {
  const Cached key = key_of(kv, at.head / a.group, slot);
  const int64_t columns = key_columns(a, kv);
  float score = 0;
  for (int64_t i = 0; i < columns; ++i) score += s.q[i] * load_cached(key, i);
  if (a.softcap > 0) score = a.softcap * simt::hyperbolic_tangent(score / a.softcap);
  return (score + bias_of(a, at.head, position - at.position)) * simt::kLog2E;
}

// Takes kThreads keys, of which some lie within `keys`.
SIMT_DEV void attend_part(const AttentionArgs& a, const SequenceKv& kv, const Place& at, const Keys& keys, int64_t first,
                          Shared& s, Sums& sums) {
  const int64_t thread = simt::thread(), mine = first + thread;
  const bool seen = mine >= keys.begin && mine < keys.end;
  float score = kLeast;
  if (seen) score = score_of(a, kv, at, keys.slot(mine), keys.slot(mine) + keys.first, s);
  s.scores[thread] = score;
  simt::sync_block();
  float top = sums.top;
  for (int i = 0; i < kThreads; ++i) top = simt::largest(s.scores[i], top);
  s.weights[thread] = seen ? simt::power_of_2(score - top) : 0;
  simt::sync_block();
  const float shrink = simt::power_of_2(sums.top - top);
  sums.top = top;
  sums.total *= shrink;
  for (float& v : sums.values) v *= shrink;
  const int64_t end = at_most(keys.end, first + kThreads), columns = value_columns(a, kv);
  for (int64_t i = at_least(keys.begin, first); i < end; ++i) {
    const float weight = s.weights[i - first];
    const Cached value = value_of(kv, at.head / a.group, keys.slot(i));
    sums.total += weight;
#pragma unroll
    for (int d = 0; d < kMaxDims; ++d)
      if (const int64_t column = d * kThreads + thread; column < columns)
        sums.values[d] += weight * load_cached(value, column);
  }
}

SIMT_DEV void attend(const AttentionArgs& a, const SequenceKv& kv, const Place& at, const Keys& keys, Shared& s,
                     Sums& sums) {
  for (int64_t first = keys.begin / kThreads * kThreads; first < keys.end; first += kThreads)
    attend_part(a, kv, at, keys, first, s, sums);
}

// How many of n ascending places are below a bound.
SIMT_DEV int64_t count_below(const int32_t* places, int64_t n, int64_t bound) {
  int64_t low = 0;
  for (int64_t high = n; low < high;) {
    const int64_t middle = (low + high) / 2;
    if (places[middle] < bound)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// The keys that a row attends to: kept ones, which may meet a query of their own, and the others.
struct RowKeys {
  Keys kept, others;
};

SIMT_DEV RowKeys keys_of(const AttentionArgs& a, const SequenceKv& kv, const Place& at) {
  const SeenKeys seen = seen_keys(a.window, kv, at.position);
  if (!a.places || seen.n() <= a.chosen)
    return {{0, seen.kept, kv.dropped, nullptr, 0}, {seen.begin, seen.end, kv.shift, nullptr, 0}};
  const int32_t* places = a.places + at.row * a.places_step;
  const int64_t kept = count_below(places, a.chosen, seen.kept);
  return {{0, kept, kv.dropped, places, 0}, {kept, a.chosen, kv.shift, places, seen.begin - seen.kept}};
}

// The sink takes weight and gives nothing.
SIMT_DEV void add_sink(float logit, Sums& sums) {
  const float sink = logit * simt::kLog2E, top = simt::largest(sums.top, sink), shrink = simt::power_of_2(sums.top - top);
  sums.total = sums.total * shrink + simt::power_of_2(sink - top);
  for (float& v : sums.values) v *= shrink;
}

// put(column, number) for those of the sums that this thread has.
template <class Put>
SIMT_DEV void for_values(const Sums& sums, int64_t columns, Put put) {
  const int64_t thread = simt::thread();
#pragma unroll
  for (int d = 0; d < kMaxDims; ++d)
    if (const int64_t column = d * kThreads + thread; column < columns) put(column, sums.values[d] / sums.total);
}

SIMT_DEV void store(const AttentionArgs& a, const SequenceKv& kv, const Place& at, Shared& s, const Sums& sums) {
  float* out = a.out.data + at.row * a.out.step + at.head * a.d_v;
  if (!kv.v_rotated) {
    for_values(sums, a.d_v, [&](int64_t column, float v) { out[column] = v; });
    return;
  }
  const int64_t columns = value_columns(a, kv);
  simt::sync_block();  // the query lies there no longer
  for_values(sums, columns, [&](int64_t column, float v) { s.q[column] = v; });
  hadamard(s.q, columns);
  for (int64_t i = simt::thread(); i < a.d_v; i += kThreads) out[i] = s.q[i];
}

// A block per head of a row.
SIMT_KERNEL void attention(AttentionArgs a) {
  Shared& s = simt::shared<Shared>();
  const int64_t row = simt::block_y(), head = simt::block_x();
  if (!begin_row(a.rows, row) || is_sparse(a, row, head / a.group)) return;
  const Place at{row, head, a.step.positions[step_row(a, row)]};
  const SequenceKv& kv = a.step.kv[a.step.sequences[step_row(a, row)]];
  const RowKeys keys = keys_of(a, kv, at);
  Sums sums;
  if (kv.kept) {
    load_query(a, kv, a.q_kept.data ? a.q_kept : a.q, at, s);
    attend(a, kv, at, keys.kept, s, sums);
  }
  load_query(a, kv, a.q, at, s);
  attend(a, kv, at, keys.others, s, sums);
  if (a.sink_logits) add_sink(a.sink_logits[at.head], sums);
  store(a, kv, at, s, sums);
}

void launch_attention(simt::Stream stream, const AttentionArgs& a, int64_t rows) {
  const simt::Grid grid{static_cast<unsigned>(a.heads), static_cast<unsigned>(rows)};
  launch_early<attention>(stream, {grid, kThreads, sizeof(Shared)}, a);
}

}  // namespace

template <>
void fill_attention<simt::Target>(GpuKernels& kernels) {
  kernels.attention = launch_attention;
}

}  // namespace skald::gpu
