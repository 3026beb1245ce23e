// Attention to 64 keys by a warp, of which a block joins several: what attention_parts.cu and attention_chosen.cu share.
// Keys and values come from memory once for the heads of a KV head.
#pragma once

#include "kernels/gpu/attention_pages.inl"

namespace skald::gpu {

inline constexpr int kPartWarps = kPartPages, kPartThreads = kPartWarps * simt::kWarp;

/// Of heads of D columns, and of a warp for each page of a part.
template <int D, int kWarps = kPartWarps>
struct PartShared {
  static constexpr int kStep = D + 8;  // a warp's rows of sums lie in different banks
  static constexpr int kThreads = kWarps * simt::kWarp;
  alignas(128) std::byte values[kWarps][kPageKeys * D * 2];
  simt::Words4 queries[D / 32][2][simt::kWarp];  // as lanes have them
  Weights weights[kWarps][kQueries];             // of a warp's keys
  float sums[kWarps][kQueries * kStep];

  /// Rows of floats, before and after the values.
  SIMT_DEV float* staged() { return reinterpret_cast<float*>(values); }
};

/// A row's heads over its keys.
struct PartJob {
  int row, position;
  HeadTile heads;
  const SequenceKv& kv;
  SIMT_DEV Span span(const AttentionArgs& a, bool kept) const { return span_of(a, kv, position, kept); }
};

/// Keys side by side in a page: the slot of key i, whether a row may see it, and its rows in the cache.
struct PageKeys {
  const SequenceKv& kv;
  const Span& span;
  int first;  // slot
  const std::byte *keys, *values;

  SIMT_DEV PageKeys(const SequenceKv& kv_, int head, const Span& span_, int first_)
      : kv(kv_),
        span(span_),
        first(first_),
        keys(page_of_keys(kv_, head, first_ / static_cast<int>(kPageKeys))),
        values(page_of_values(kv_, head, first_ / static_cast<int>(kPageKeys))) {}
  SIMT_DEV int slot(int i) const { return first + i; }
  SIMT_DEV bool is_seen(int i) const { return slot(i) >= span.begin && slot(i) < span.end; }
  SIMT_DEV CachedRow key(int i, const RowShape& shape) const {
    return row_at(keys, i, static_cast<int>(kv.k_stride), shape);
  }
  SIMT_DEV CachedRow value(int i, const RowShape& shape) const {
    return row_at(values, i, static_cast<int>(kv.v_stride), shape);
  }
};

/// Keys of a list, of which n are left, more than 0: slots from `first` on.
struct ListedKeys {
  const SequenceKv& kv;
  int head;
  const uint16_t* list;
  int n, first;

  SIMT_DEV bool is_seen(int i) const { return i < n; }
  SIMT_DEV int slot(int i) const { return i < n ? first + list[i] : -1; }
  SIMT_DEV CachedRow key(int i, const RowShape& shape) const {
    const int at = slot(at_most(i, n - 1)), page = at / static_cast<int>(kPageKeys);
    return row_at(page_of_keys(kv, head, page), at % static_cast<int>(kPageKeys), static_cast<int>(kv.k_stride), shape);
  }
  SIMT_DEV CachedRow value(int i, const RowShape& shape) const {
    const int at = slot(at_most(i, n - 1)), page = at / static_cast<int>(kPageKeys);
    return row_at(page_of_values(kv, head, page), at % static_cast<int>(kPageKeys), static_cast<int>(kv.v_stride), shape);
  }
};

SIMT_DEV Sight sight_of(const AttentionArgs& a, const PartJob& job, const Span& span) {
  Sight sight;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int m = simt::lane() / 4 + 8 * h;
    if (m < job.heads.n) sight.set(h, a, span, job.position, job.heads.first + m);
  }
  return sight;
}

// Queries are put down as lanes have them: warps read them part by part.
template <int D, int kWarps>
SIMT_DEV void load_queries(const AttentionArgs& a, const PartJob& job, bool kept, PartShared<D, kWarps>& s) {
  const Matrix& rows = kept && a.q_kept.data ? a.q_kept : a.q;
  const float* first = rows.data + job.row * rows.step + job.heads.first * a.d_k;
  stage_queries<D>(a, job.kv, job.heads.n, s.staged(), [&](int m) { return first + m * a.d_k; });
  if (simt::warp() == 0) store_queries<D>(s.staged(), 0, job.heads.n, s.queries);
  simt::sync_block();
}

// Values are on their way while keys are multiplied.
template <class Cache, int D, class Keys>
SIMT_DEV void fetch_values(const AttentionArgs& a, const Keys& keys, std::byte* tile) {
  const RowShape shape = shape_of<Cache>(keys.kv.v_format, a.d_v);
#pragma unroll 4
  for (int i = simt::lane(); i < kPageKeys * D / 8; i += simt::kWarp) {
    const int key = i / (D / 8), part = i % (D / 8);
    bring_words<Cache>(value_words<D>(tile, key, part), keys.value(key, shape), part, shape, keys.is_seen(key));
  }
  simt::copy_commit();
}

/// Keys meet queries as they come from memory.
template <class Cache, int D, int kWarps, class Keys>
SIMT_DEV void multiply_keys(const AttentionArgs& a, const Keys& keys, const PartShared<D, kWarps>& s,
                            float (&c)[kKeyTiles][4]) {
  const int g = simt::lane() / 4, t = simt::lane() % 4;
  const RowShape shape = shape_of<Cache>(keys.kv.k_format, a.d_k);
  CachedRow rows[kKeyTiles];
#pragma unroll
  for (int j = 0; j < kKeyTiles; ++j) rows[j] = keys.key(j * 8 + g, shape);
#pragma unroll(Cache::kAny ? 1 : 4)
  for (int i = 0; i < D / 32; ++i) {
    const int at = 32 * i + 8 * t;
    simt::Words4 x[kKeyTiles];
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j) x[j] = at < shape.columns ? Cache::load(rows[j], at, shape) : simt::Words4{};
    const simt::Words4 q[2] = {s.queries[i][0][simt::lane()], s.queries[i][1][simt::lane()]};
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j) multiply_key_tile(c[j], q, x[j]);
  }
}

/// A warp's keys: their weights and the sums of their values come to shared memory.
template <class Cache, int D, int kWarps, class Keys>
SIMT_DEV void attend_keys(const AttentionArgs& a, const Sight& sight, const Keys& keys, PartShared<D, kWarps>& s) {
  const int g = simt::lane() / 4, t = simt::lane() % 4;
  std::byte* tile = s.values[simt::warp()];
  fetch_values<Cache, D>(a, keys, tile);
  float c[kKeyTiles][4] = {};
  multiply_keys<Cache>(a, keys, s, c);
  Weights w[2];
  uint32_t p[kKeyTiles / 2][4];
  weigh_keys(
      a, sight, [&](int key) { return keys.slot(key); }, c, w, p);
  simt::copy_wait<0>();
  simt::sync_warp();
  float* sums = s.sums[simt::warp()];
  add_values<D, D>(p, tile, 0, [&](int n, const float(&sum)[4]) {
#pragma unroll
    for (int e = 0; e < 4; ++e) sums[(g + e / 2 * 8) * s.kStep + n * 8 + 2 * t + e % 2] = sum[e];
  });
  if (t == 0)
    for (int h = 0; h < 2; ++h) s.weights[simt::warp()][g + 8 * h] = w[h];
}
/// A warp without keys.
template <int D, int kWarps>
SIMT_DEV void attend_none(PartShared<D, kWarps>& s) {
  if (simt::lane() < kQueries) s.weights[simt::warp()][simt::lane()] = {};
}

// Joins sums in order: `weights(i)`, `number(i)`.
template <class WeightsOf, class NumberOf>
SIMT_DEV float join_all(int n, Weights& w, WeightsOf weights, NumberOf number) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    const Weights other = weights(i);
    if (other.top == kUnseen) continue;
    sum = joined(sum, number(i), join(w, other));
  }
  return sum;
}

/// Joins the sums of the block's warps, in order: put(head, column, sum, weights). By all threads.
template <int D, int kWarps, class Put>
SIMT_DEV void join_warps(const PartJob& job, int columns, const PartShared<D, kWarps>& s, Put put) {
  simt::sync_block();
  for (int i = simt::thread(); i < job.heads.n * columns; i += s.kThreads) {
    const int m = i / columns, column = i % columns;
    Weights w;
    const float sum = join_all(
        kWarps, w, [&](int k) { return s.weights[k][m]; }, [&](int k) { return s.sums[k][m * s.kStep + column]; });
    put(m, column, sum, w);
  }
}

/// The rows of results, n heads of `columns`, which come to shared memory, without the cache's transform. By all threads.
template <int D, int kWarps>
SIMT_DEV void finish_rows(const PartJob& job, int columns, PartShared<D, kWarps>& s) {
  if (job.kv.v_rotated)
    for (int m = 0; m < job.heads.n; ++m) hadamard(s.staged() + m * D, columns);
  simt::sync_block();
}
SIMT_DEV float* results_of(const AttentionArgs& a, const PartJob& job) {
  return a.out.data + job.row * a.out.step + job.heads.first * a.d_v;
}
template <int D, int kWarps>
SIMT_DEV void store_rows(const AttentionArgs& a, const PartJob& job, PartShared<D, kWarps>& s) {
  const auto d = static_cast<int>(a.d_v);
  const float* rows = s.staged();
  float* out = results_of(a, job);
  for (int i = simt::thread(); i < job.heads.n * d; i += s.kThreads) out[i] = rows[i / d * D + i % d];
}

}  // namespace skald::gpu
