// Attention of few rows as a kernel of any Tuning. See attention_parts.cu.
#pragma once

#include <algorithm>

#include "kernels/gpu/attention_parts.inl"
#include "kernels/gpu/tuning.h"

namespace skald::gpu {
namespace {

/// Where sums and weights of a part are put down, for each head: the columns, then top and total.
SIMT_DEV float* part_at(const AttentionArgs& a, const PartJob& job, int head, int part) {
  const int64_t columns = cached_columns(job.kv.v_format, a.d_v);
  return a.parts + ((simt::block_z() * a.heads + job.heads.first + head) * a.most_parts + part) * (columns + 2);
}

/// A warp's page of a part, from slot `first` on. Where it has none, nothing joins.
template <class Cache, int D, int kWarps>
SIMT_DEV void attend_page(const AttentionArgs& a, const PartJob& job, const Span& span, int first,
                          PartShared<D, kWarps>& s) {
  if (first < span.end && first + kPageKeys > span.begin)
    attend_keys<Cache>(a, sight_of(a, job, span), PageKeys(job.kv, job.heads.kv_head, span, first), s);
  else
    attend_none(s);
}

template <int D, int kWarps>
SIMT_DEV void store_part(const AttentionArgs& a, const PartJob& job, int part, PartShared<D, kWarps>& s) {
  const auto columns = static_cast<int>(cached_columns(job.kv.v_format, a.d_v));
  join_warps(job, columns, s, [&](int m, int column, float sum, const Weights& w) {
    float* to = part_at(a, job, m, part);
    to[column] = sum;
    if (column > 0) return;
    to[columns] = w.top;
    to[columns + 1] = w.total;
  });
}

template <int D, int kWarps>
SIMT_DEV void join_parts(const AttentionArgs& a, const PartJob& job, int parts, PartShared<D, kWarps>& s) {
  const auto columns = static_cast<int>(cached_columns(job.kv.v_format, a.d_v));
  float* rows = s.staged();
  for (int i = simt::thread(); i < job.heads.n * columns; i += s.kThreads) {
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
  finish_rows(job, columns, s);
  store_rows(a, job, s);
}

// The rows of attention_tiles, where it is launched, too.
SIMT_DEV bool is_tiled(const AttentionArgs& a, int row) {
  const int first = row / a.window_rows * a.window_rows;
  return a.tiled && !are_few(a, rows_alike(a, first, at_most(first + a.window_rows, *a.rows.at), sequence_of(a, row)));
}

template <int D, class Tuning>
using PartsOf = PartShared<D, Tuning::kPages>;

/// A block is (some parts of the keys, heads, row).
template <class Cache, int D, class Tuning>
SIMT_KERNEL void SIMT_BOUNDS(Tuning::kPages* simt::kWarp, Tuning::kBlocks) attention_parts(AttentionArgs a) {
  constexpr int kKeys = Tuning::kPages * static_cast<int>(kPageKeys);
  auto& s = simt::shared<PartsOf<D, Tuning>>();
  const int row = a.first_row + simt::block_z();
  if (!begin_row(a.rows, row) || is_tiled(a, row)) return;
  const PartJob job{row, a.step.positions[step_row(a, row)], head_tile(a, simt::block_y()), a.step.kv[sequence_of(a, row)]};
  if (is_sparse(a, row, job.heads.kv_head)) return;
  const int kept_parts = job.span(a, true).parts(kKeys), parts = kept_parts + job.span(a, false).parts(kKeys);
  const int blocks = at_most(parts, simt::blocks_x());
  if (simt::block_x() >= blocks) return;
  int loaded = -1;
  for (int part = simt::block_x(); part < parts; part += simt::blocks_x()) {
    const bool kept = part < kept_parts;
    if (loaded != kept) load_queries(a, job, kept, s);
    loaded = kept;
    const Span span = job.span(a, kept);
    const int number = span.part_of(span.begin, kKeys) + part - (kept ? 0 : kept_parts);
    attend_page<Cache>(a, job, span, span.first_of(number, kKeys) + simt::warp() * static_cast<int>(kPageKeys), s);
    store_part(a, job, part, s);
    simt::sync_block();
  }
  int* counter = a.counters + (row * a.heads + job.heads.first);
  if (simt::last_block(counter, blocks)) join_parts(a, job, parts, s);
}

template <int D>
using Usual = PartsTuning<kPartPages, (D > 128 ? 1 : 2), 64>;

template <class Cache, int D, class Tuning>
void launch_parts(simt::Stream stream, const AttentionArgs& a, int64_t rows) {
  using Parts = PartsOf<D, Tuning>;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>(a.most_parts, Tuning::kMostBlocks));
  const auto heads = static_cast<unsigned>(a.heads / a.group * a.head_tiles);
  AttentionArgs some = a;
  for (int64_t row = 0; row < rows; row += a.rows_at_once) {
    some.first_row = static_cast<int>(row);
    const auto n = static_cast<unsigned>(std::min(rows - row, a.rows_at_once));
    launch_early<attention_parts<Cache, D, Tuning>>(stream, {{blocks, heads, n}, Parts::kThreads, sizeof(Parts)}, some);
  }
}

}  // namespace
}  // namespace skald::gpu
