// Attention of few rows: the keys of a row are cut into parts, each of which a block has; the last block of a row and KV
// head joins them. The heads of a KV head share each read of its keys. Bound: the bytes of keys and values.
#include <algorithm>

#include "kernels/gpu/attention_pages.inl"
#include "kernels/gpu/kernel_table.h"

namespace skald::gpu {
namespace {

constexpr int kWarps = kPartPages, kThreads = kWarps * simt::kWarp;  // a warp for each page of a part
constexpr int kMostBlocks = 64;                                      // of a row and KV head: they take parts in turn

template <int D>
struct Shared {
  static constexpr int kStep = D + 8;  // a warp's rows of sums lie in different banks
  alignas(128) std::byte values[kWarps][kPageKeys * D * 2];
  simt::Words4 queries[D / 32][2][simt::kWarp];  // as lanes have them
  Weights weights[kWarps][kQueries];             // of pages
  float sums[kWarps][kQueries * kStep];

  /// Rows of floats, before and after the values.
  SIMT_DEV float* staged() { return reinterpret_cast<float*>(values); }
};

/// A row's heads over its keys.
struct Job {
  int row, position;
  HeadTile heads;
  const SequenceKv& kv;
  SIMT_DEV Span span(const AttentionArgs& a, bool kept) const { return span_of(a, kv, position, kept); }
};

/// Where sums and weights of a part are put down, for each head: the columns, then top and total.
SIMT_DEV float* part_at(const AttentionArgs& a, const Job& job, int head, int part) {
  const int64_t columns = cached_columns(job.kv.v_format, a.d_v);
  return a.parts + ((simt::block_z() * a.heads + job.heads.first + head) * a.most_parts + part) * (columns + 2);
}

SIMT_DEV Sight sight_of(const AttentionArgs& a, const Job& job, const Span& span) {
  Sight sight;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int m = simt::lane() / 4 + 8 * h;
    if (m < job.heads.n) sight.set(h, a, span, job.position, job.heads.first + m);
  }
  return sight;
}

// Queries are put down as lanes have them: warps read them part by part.
template <int D>
SIMT_DEV void load_queries(const AttentionArgs& a, const Job& job, bool kept, Shared<D>& s) {
  const Matrix& rows = kept && a.q_kept.data ? a.q_kept : a.q;
  const float* first = rows.data + job.row * rows.step + job.heads.first * a.d_k;
  stage_queries<D>(a, job.kv, job.heads.n, s.staged(), [&](int m) { return first + m * a.d_k; });
  if (simt::warp() == 0) store_queries<D>(s.staged(), 0, job.heads.n, s.queries);
  simt::sync_block();
}

// A page's values, on their way while keys are multiplied.
template <class Cache, int D>
SIMT_DEV void fetch_values(const AttentionArgs& a, const Job& job, const Span& span, int page, std::byte* tile) {
  const std::byte* from = page_of_values(job.kv, job.heads.kv_head, page);
  const auto columns = static_cast<int>(cached_columns(Cache::kId, a.d_v));
#pragma unroll 4
  for (int i = simt::lane(); i < kPageKeys * D / 8; i += simt::kWarp) {
    const int key = i / (D / 8), part = i % (D / 8), slot = page * static_cast<int>(kPageKeys) + key;
    const bool seen = slot >= span.begin && slot < span.end && part * 8 < columns;
    bring_words<Cache>(value_words<D>(tile, key, part), from + key * job.kv.v_stride, part, seen);
  }
  simt::copy_commit();
}

/// Keys meet queries as they come from memory.
template <class Cache, int D>
SIMT_DEV void multiply_keys(const AttentionArgs& a, const Job& job, int page, const Shared<D>& s, float (&c)[kKeyTiles][4]) {
  const int g = simt::lane() / 4, t = simt::lane() % 4;
  const std::byte* row = page_of_keys(job.kv, job.heads.kv_head, page) + g * job.kv.k_stride;
  const auto columns = static_cast<int>(cached_columns(Cache::kId, a.d_k));
#pragma unroll
  for (int i = 0; i < D / 32; ++i) {
    const int at = 32 * i + 8 * t;
    simt::Words4 x[kKeyTiles];
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j)
      x[j] = at < columns ? Cache::load(row + j * 8 * job.kv.k_stride, at) : simt::Words4{};
    const simt::Words4 q[2] = {s.queries[i][0][simt::lane()], s.queries[i][1][simt::lane()]};
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j) multiply_key_tile(c[j], q, x[j]);
  }
}

/// A warp's page of a part. Where it has none, nothing joins.
template <class Cache, int D>
SIMT_DEV void attend_page(const AttentionArgs& a, const Job& job, const Span& span, int page, Shared<D>& s) {
  const int g = simt::lane() / 4, t = simt::lane() % 4, first = page * static_cast<int>(kPageKeys);
  Weights w[2];
  if (first < span.end && first + kPageKeys > span.begin) {
    std::byte* tile = s.values[simt::warp()];
    fetch_values<Cache, D>(a, job, span, page, tile);
    float c[kKeyTiles][4] = {};
    multiply_keys<Cache>(a, job, page, s, c);
    uint32_t p[kKeyTiles / 2][4];
    weigh_page(a, sight_of(a, job, span), first, c, w, p);
    simt::copy_wait<0>();
    simt::sync_warp();
    float* sums = s.sums[simt::warp()];
    add_values<D, D>(p, tile, 0, [&](int n, const float(&sum)[4]) {
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[(g + e / 2 * 8) * Shared<D>::kStep + n * 8 + 2 * t + e % 2] = sum[e];
    });
  }
  if (t == 0)
    for (int h = 0; h < 2; ++h) s.weights[simt::warp()][g + 8 * h] = w[h];
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

template <int D>
SIMT_DEV void store_part(const AttentionArgs& a, const Job& job, int part, Shared<D>& s) {
  const auto columns = static_cast<int>(cached_columns(job.kv.v_format, a.d_v));
  simt::sync_block();
  for (int i = simt::thread(); i < job.heads.n * columns; i += kThreads) {
    const int m = i / columns, column = i % columns;
    Weights w;
    const float sum = join_all(
        kWarps, w, [&](int k) { return s.weights[k][m]; }, [&](int k) { return s.sums[k][m * Shared<D>::kStep + column]; });
    float* to = part_at(a, job, m, part);
    to[column] = sum;
    if (column > 0) continue;
    to[columns] = w.top;
    to[columns + 1] = w.total;
  }
}

template <int D>
SIMT_DEV void join_parts(const AttentionArgs& a, const Job& job, int parts, Shared<D>& s) {
  const auto columns = static_cast<int>(cached_columns(job.kv.v_format, a.d_v));
  float* rows = s.staged();
  for (int i = simt::thread(); i < job.heads.n * columns; i += kThreads) {
    const int m = i / columns, column = i % columns;
    Weights w;
    const float* from = part_at(a, job, m, 0);
    const float sum = join_all(
        parts, w,
        [&](int k) {
          return Weights{from[k * (columns + 2) + columns], from[k * (columns + 2) + columns + 1]};
        },
        [&](int k) { return from[k * (columns + 2) + column]; });
    rows[m * D + column] = sum * last_factor(w, a.sink_logits, job.heads.first + m);
  }
  if (job.kv.v_rotated)
    for (int m = 0; m < job.heads.n; ++m) hadamard(rows + m * D, columns);
  simt::sync_block();
  const auto d = static_cast<int>(a.d_v);
  float* out = a.out.data + job.row * a.out.step + job.heads.first * a.d_v;
  for (int i = simt::thread(); i < job.heads.n * d; i += kThreads) out[i] = rows[i / d * D + i % d];
}

// The rows of attention_tiles, where it is launched, too.
SIMT_DEV bool is_tiled(const AttentionArgs& a, int row) {
  const int first = row / a.window_rows * a.window_rows;
  return a.tiled && !are_few(a, rows_alike(a, first, at_most(first + a.window_rows, *a.rows.at), sequence_of(a, row)));
}

// A block is (some parts of the keys, heads, row).
template <class Cache, int D>
SIMT_KERNEL void SIMT_BOUNDS(kThreads, D > 128 ? 1 : 2) attention_parts(AttentionArgs a) {
  auto& s = simt::shared<Shared<D>>();
  const int row = a.first_row + simt::block_z();
  if (!begin_row(a.rows, row) || is_tiled(a, row)) return;
  const Job job{row, a.step.positions[step_row(a, row)], head_tile(a, simt::block_y()), a.step.kv[sequence_of(a, row)]};
  const int kept_parts = parts_of(job.span(a, true)), parts = kept_parts + parts_of(job.span(a, false));
  const int blocks = at_most(parts, simt::blocks_x());
  if (simt::block_x() >= blocks) return;
  int loaded = -1;
  for (int part = simt::block_x(); part < parts; part += simt::blocks_x()) {
    const bool kept = part < kept_parts;
    if (loaded != kept) load_queries(a, job, kept, s);
    loaded = kept;
    const Span span = job.span(a, kept);
    const int page = (first_part(span) + part - (kept ? 0 : kept_parts)) * kPartPages + simt::warp();
    attend_page<Cache>(a, job, span, page, s);
    store_part(a, job, part, s);
    simt::sync_block();
  }
  int* counter = a.counters + (row * a.heads + job.heads.first);
  if (simt::last_block(counter, blocks)) join_parts(a, job, parts, s);
}

template <class Cache, int D>
void launch_parts(simt::Stream stream, const AttentionArgs& a, int64_t rows) {
  const auto blocks = static_cast<unsigned>(std::min<int64_t>(a.most_parts, kMostBlocks));
  const auto heads = static_cast<unsigned>(a.heads / a.group * a.head_tiles);
  AttentionArgs some = a;
  for (int64_t row = 0; row < rows; row += a.rows_at_once) {
    some.first_row = static_cast<int>(row);
    const auto n = static_cast<unsigned>(std::min(rows - row, a.rows_at_once));
    launch_early<attention_parts<Cache, D>>(stream, {{blocks, heads, n}, kThreads, sizeof(Shared<D>)}, some);
  }
}

}  // namespace

template <>
void fill_attention_parts<simt::Target>(GpuKernels& kernels) {
  for_each_attention(
      [&]<class Cache, int D>() { kernels.attention_parts[Cache::kId][width_index(D)] = launch_parts<Cache, D>; });
}

}  // namespace skald::gpu
