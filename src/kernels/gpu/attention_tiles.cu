// Attention of many rows of a sequence, as a prompt's: a block has 64 queries, which are heads of a KV head in neighbouring
// rows, and brings keys and values to shared memory page by page. Bound: the tensor cores. The form is that of
// FlashAttention-2 (Dao, arXiv 2307.08691).
// SASS of attention_tiles: HMMA.16816.F32, LDSM.16.MT88.4.
// SASS of HalvesQ8_0, HalvesQ4_0: LDG.E.NA.LTC128B.64.
#include "kernels/gpu/attention_pages.inl"
#include "kernels/gpu/kernel_table.h"

namespace skald::gpu {
namespace {

constexpr int kWarps = kTileQueries / kQueries;
/// Two warps share queries of wide heads: both score the keys, and each has half of the values' columns.
template <int D>
constexpr int kColumns = D > 128 ? D / 2 : D;
template <int D>
constexpr int kThreads = simt::kWarp*(kColumns<D> < D ? 2 * kWarps : kWarps);
SIMT_DEV int queries_at() { return simt::warp() % kWarps * kQueries; }

template <class Cache, int D>
struct Shared {
  /// Wide heads leave no room for a second page, and codes are not on their way while another page is met.
  static constexpr int kStages = D > 128 || !Cache::kCopied ? 1 : 2;
  struct Page {
    std::byte keys[kPageKeys * D * 2], values[kPageKeys * D * 2];
  };
  alignas(128) Page pages[kStages];
  simt::Words4 queries[kWarps][D / 32][2][simt::kWarp];  // as lanes have them
  float sums[kTileQueries * D];

  /// Columns 8 n + 2 t and + 1 of a row's sums: a warp's rows lie in different banks.
  SIMT_DEV float* sums_at(int row, int n, int t) { return sums + row * D + 2 * t + (n % 4 ^ row % 4) * 8 + n / 4 * 32; }
  /// Rows of floats, before and after the pages.
  SIMT_DEV float* staged() { return reinterpret_cast<float*>(pages); }
};

/// Neighbouring rows of a sequence, with the heads of a KV head: query m is head m % heads of row m / heads.
struct Job {
  int first, n;
  HeadTile heads;
  const SequenceKv& kv;
  SIMT_DEV int queries() const { return n * heads.n; }
  SIMT_DEV int row(int m) const { return first + m / heads.n; }
  SIMT_DEV int head(int m) const { return heads.first + m % heads.n; }
};

SIMT_DEV int position_of(const AttentionArgs& a, int row) { return a.step.positions[step_row(a, row)]; }

/// All that some row of the job sees: positions rise, and so do bounds.
SIMT_DEV Span span_of(const AttentionArgs& a, const Job& job, bool kept) {
  const Span first = span_of(a, job.kv, position_of(a, job.first), kept);
  const Span last = span_of(a, job.kv, position_of(a, job.first + job.n - 1), kept);
  return {at_most(first.begin, last.begin), at_least(first.end, last.end), first.first, first.lead};
}

SIMT_DEV Sight sight_of(const AttentionArgs& a, const Job& job, bool kept) {
  Sight sight;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int m = queries_at() + simt::lane() / 4 + 8 * h;
    if (m >= job.queries()) continue;
    const int position = position_of(a, job.row(m));
    sight.set(h, a, span_of(a, job.kv, position, kept), position, job.head(m));
  }
  return sight;
}

template <class Cache, int D>
SIMT_DEV void load_queries(const AttentionArgs& a, const Job& job, bool kept, Shared<Cache, D>& s) {
  const Matrix& rows = kept && a.q_kept.data ? a.q_kept : a.q;
  stage_queries<D>(a, job.kv, job.queries(), s.staged(),
                   [&](int m) { return rows.data + job.row(m) * rows.step + job.head(m) * a.d_k; });
  if (simt::warp() < kWarps) store_queries<D>(s.staged(), queries_at(), job.queries(), s.queries[simt::warp()]);
  simt::sync_block();
}

// A page's keys or values, on their way. `words(key, part)` says where 16 bytes go.
template <class Cache, int D, class Words>
SIMT_DEV void fetch(const std::byte* page, int stride, int begin, int end, const RowShape& shape, Words words) {
  const int part = simt::thread() % (D / 8);
  constexpr int kStep = kThreads<D> / (D / 8);
#pragma unroll 1
  for (int key = simt::thread() / (D / 8); key < kPageKeys; key += kStep)
    bring_words<Cache>(words(key, part), row_at(page, key, stride, shape), part, shape, key >= begin && key < end);
}
template <class Cache, int D>
SIMT_DEV void fetch_page(const AttentionArgs& a, const Job& job, const Span& span, int page, Shared<Cache, D>& s) {
  if (page * kPageKeys < span.end) {
    auto& to = s.pages[page % Shared<Cache, D>::kStages];
    const int begin = span.begin - page * static_cast<int>(kPageKeys), end = span.end - page * static_cast<int>(kPageKeys);
    const RowShape shape = shape_of<Cache>(Cache::kId, a.d_k);
    fetch<Cache, D>(page_of_keys(job.kv, job.heads.kv_head, page), static_cast<int>(job.kv.k_stride), begin, end, shape,
                    [&](int key, int part) { return key_words<D>(to.keys, key, part); });
    fetch<Cache, D>(page_of_values(job.kv, job.heads.kv_head, page), static_cast<int>(job.kv.v_stride), begin, end, shape,
                    [&](int key, int part) { return value_words<D>(to.values, key, part); });
  }
  simt::copy_commit();
}

template <class Cache, int D>
SIMT_DEV void multiply_page(Shared<Cache, D>& s, std::byte* keys, float (&c)[kKeyTiles][4]) {
  const int g = simt::lane() / 4, t = simt::lane() % 4;
#pragma unroll
  for (int i = 0; i < D / 32; ++i) {
    const auto& both = s.queries[simt::warp() % kWarps][i];
    const simt::Words4 q[2] = {both[0][simt::lane()], both[1][simt::lane()]};
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j) multiply_key_tile(c[j], q, *key_words<D>(keys, 8 * j + g, i % 2 * 4 + t, i / 2 * 8));
  }
}

/// Sums of a lane's two rows: columns 8 n + 2 t and + 1 of the warp's.
template <int D>
struct Sums {
  Weights weights[2];
  float values[kColumns<D> / 8][4] = {};
};
template <int D>
SIMT_DEV int first_column() {
  return kColumns<D> < D ? simt::warp() / kWarps * kColumns<D> : 0;
}

template <class Cache, int D>
SIMT_DEV void attend_page(const AttentionArgs& a, const Sight& sight, int page, Shared<Cache, D>& s, Sums<D>& sums) {
  auto& from = s.pages[page % Shared<Cache, D>::kStages];
  float c[kKeyTiles][4] = {};
  multiply_page(s, from.keys, c);
  Weights w[2];
  uint32_t p[kKeyTiles / 2][4];
  const int first = page * static_cast<int>(kPageKeys);
  weigh_keys(
      a, sight, [&](int key) { return first + key; }, c, w, p);
  const Shares shares[2] = {join(sums.weights[0], w[0]), join(sums.weights[1], w[1])};
  add_values<D, kColumns<D>>(p, from.values, first_column<D>() / 16, [&](int n, const float(&sum)[4]) {
#pragma unroll
    for (int e = 0; e < 4; ++e) sums.values[n][e] = joined(sums.values[n][e], sum[e], shares[e / 2]);
  });
}

/// Joins a part to the rows' sums, of which each lane has its own columns, and begins a new one.
template <class Cache, int D>
SIMT_DEV void end_part(Sums<D>& part, Weights (&w)[2], Shared<Cache, D>& s) {
  const int g = simt::lane() / 4, t = simt::lane() % 4;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const Shares shares = join(w[h], part.weights[h]);
#pragma unroll
    for (int n = 0; n < kColumns<D> / 8; ++n) {
      float* two = s.sums_at(queries_at() + g + 8 * h, n, t) + first_column<D>();
#pragma unroll
      for (int e = 0; e < 2; ++e) two[e] = joined(two[e], part.values[n][2 * h + e], shares);
    }
  }
  part = {};
}

template <class Cache, int D>
SIMT_DEV void attend_span(const AttentionArgs& a, const Job& job, bool kept, Weights (&w)[2], Shared<Cache, D>& s) {
  constexpr bool kAhead = Shared<Cache, D>::kStages > 1;  // a page is on its way while another one is met
  const Span span = span_of(a, job, kept);
  if (span.end <= span.begin) return;
  const Sight sight = sight_of(a, job, kept);
  load_queries(a, job, kept, s);
  const int first = span.begin / static_cast<int>(kPageKeys), end = (span.end - 1) / static_cast<int>(kPageKeys) + 1;
  Sums<D> part;
  if (kAhead) fetch_page(a, job, span, first, s);
#pragma unroll 1
  for (int page = first; page < end; ++page) {
    fetch_page(a, job, span, page + (kAhead ? 1 : 0), s);
    simt::copy_wait<kAhead ? 1 : 0>();
    simt::sync_block();
    attend_page(a, sight, page, s, part);
    const int next = (page + 1) * static_cast<int>(kPageKeys);
    const int lead = kept ? 0 : static_cast<int>(job.kv.shift);  // span.lead: read anew, as registers are few
    if ((next + lead) % kPartKeys == 0 || page == end - 1) end_part(part, w, s);
    simt::sync_block();
  }
  simt::copy_wait<0>();
}

template <class Cache, int D>
SIMT_DEV void store(const AttentionArgs& a, const Job& job, const Weights (&w)[2], Shared<Cache, D>& s) {
  const int g = simt::lane() / 4, t = simt::lane() % 4, d = static_cast<int>(a.d_v);
  simt::sync_block();
  float* rows = s.staged();
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int m = queries_at() + g + 8 * h;
    if (m >= job.queries()) continue;
    const float factor = last_factor(w[h], a.sink_logits, job.head(m));
    for (int n = first_column<D>() / 8; n < (first_column<D>() + kColumns<D>) / 8; ++n)
      for (int e = 0; e < 2; ++e) rows[m * D + 8 * n + 2 * t + e] = s.sums_at(m, n, t)[e] * factor;
  }
  if (job.kv.v_rotated)
    for (int m = 0; m < job.queries(); ++m) hadamard(rows + m * D, cached_columns(job.kv.v_format, a.d_v));
  simt::sync_block();
  for (int i = simt::thread(); i < job.queries() * d; i += kThreads<D>) {
    const int m = i / d, column = i % d;
    a.out.data[job.row(m) * a.out.step + job.head(m) * a.d_v + column] = rows[m * D + column];
  }
}

// A block is (a window of neighbouring rows, heads). A window may hold rows of several sequences. Where a generated row
// attends to few keys, those after it do.
template <class Cache, int D>
SIMT_KERNEL void SIMT_BOUNDS(kThreads<D>, D > 128 ? 1 : 2) attention_tiles(AttentionArgs a) {
  auto& s = simt::shared<Shared<Cache, D>>();
  const int first = simt::block_x() * a.window_rows;
  if (!begin_row(a.rows, first)) return;
  const int end = at_most(first + a.window_rows, *a.rows.at);
  for (int row = first, n; row < end; row += n) {
    n = rows_alike(a, row, end, sequence_of(a, row));
    if (are_few(a, n) || is_sparse(a, row, simt::block_y() / a.head_tiles)) continue;
    const Job job{row, n, head_tile(a, simt::block_y()), a.step.kv[sequence_of(a, row)]};
    simt::sync_block();
    for (int i = simt::thread(); i < kTileQueries * D; i += kThreads<D>) s.sums[i] = 0;
    Weights w[2];
    attend_span(a, job, true, w, s);
    attend_span(a, job, false, w, s);
    store(a, job, w, s);
  }
}

template <class Cache, int D>
void launch_tiles(simt::Stream stream, const AttentionArgs& a, int64_t rows) {
  const simt::Grid grid{blocks_for(rows, a.window_rows), static_cast<unsigned>(a.heads / a.group * a.head_tiles)};
  launch_early<attention_tiles<Cache, D>>(stream, {grid, kThreads<D>, sizeof(Shared<Cache, D>)}, a);
}

}  // namespace

template <>
void fill_attention_tiles<simt::Target>(GpuKernels& kernels) {
  for_each_attention(
      [&]<class Cache, int D>() { kernels.attention_tiles[Cache::kId][width_index(D)] = launch_tiles<Cache, D>; });
}

}  // namespace skald::gpu
