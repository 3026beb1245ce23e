// The components that score the keys of a row on a KV head: those of its queries that count most, by |q| times the spread of
// the keys (SparQ, arXiv 2312.04985; see SparqScores of the CPU). By all threads of a block of sparq_scores.cu.
#pragma once

#include "kernels/gpu/cache_blocks.inl"
#include "kernels/gpu/key_spread.inl"
#include "kernels/gpu/sparq.inl"

namespace skald::gpu {

inline constexpr int kScoringThreads = 256, kScoringWarps = kScoringThreads / simt::kWarp;

/// What a block of sparq_scores keeps.
struct ScoringShared {
  float q[kMaxGroupNumbers];       // (group, columns): plain queries, then those of the chosen components only
  float chosen[kMaxGroupNumbers];  // (group, k1): these components alone
  float spread[kMaxSparseColumns];
  uint32_t weights[kMaxSparseColumns];  // bits of the components' weights
  int ranks[kMaxSparseColumns];         // of components: by weight
  int dims[kMaxSparseColumns];          // (k1)
  float all[kMaxSparseGroup];           // the weights of all components
  float warmth[kMaxSparseGroup];        // factors of temperatures
};

/// What the steps of a block share.
struct Scoring {
  const SparqArgs& a;
  const SparqJob& job;
  const Chunk& chunk;
  int d, columns, group, k1;

  SIMT_DEV Scoring(const SparqArgs& a_, const SparqJob& job_, const Chunk& chunk_)
      : a(a_),
        job(job_),
        chunk(chunk_),
        d(static_cast<int>(a_.attention.d_k)),
        columns(static_cast<int>(cached_columns(job_.kv.k_format, d))),
        group(static_cast<int>(a_.attention.group)),
        k1(job_.choice.k1) {}
  /// The query head g of the KV head, and its scores of the chunk from a slot on.
  SIMT_DEV int64_t head(int g) const { return static_cast<int64_t>(job.head) * group + g; }
  SIMT_DEV float* scores(int g, int slot) const { return scores_of(a, job, head(g), chunk.number) + slot - chunk.first; }
  /// The queries that meet the chunk's keys.
  SIMT_DEV const Matrix& queries() const {
    return chunk.kept && a.attention.q_kept.data ? a.attention.q_kept : a.attention.q;
  }
};

/// Numbers of the group's heads in shared memory.
struct Rows {
  float* data;
  int step;
};

/// to (group, d) = from (group, n) by the rows of a basis, which `row(i)` gives: the products with each of d rows, or n rows
/// added up by these factors.
template <class Row>
SIMT_DEV void turn(const Scoring& x, const Rows& from, int n, bool adds_rows, Row row, const Rows& to) {
  for (int i = simt::thread(); i < x.group * x.d; i += kScoringThreads) {
    const int g = i / x.d, c = i % x.d;
    float sum = 0;
    for (int j = 0; j < n; ++j) sum = simt::fma1(from.data[g * from.step + j], adds_rows ? row(j)[c] : row(c)[j], sum);
    to.data[g * to.step + c] = sum;
  }
  simt::sync_block();
}

SIMT_DEV void load_plain_queries(const Scoring& x, const Matrix& rows, ScoringShared& s) {
  const AttentionArgs& a = x.a.attention;
  const float* from = rows.data + x.job.row.row * rows.step + x.head(0) * x.d;
  simt::sync_block();
  for (int i = simt::thread(); i < x.group * x.columns; i += kScoringThreads) {
    const int g = i / x.columns, c = i % x.columns;
    s.q[i] = c < x.d ? from[g * x.d + c] * a.scale : 0;
  }
  simt::sync_block();
}
// By the components of the index.
SIMT_DEV void load_index_queries(const Scoring& x, const Matrix& rows, ScoringShared& s) {
  load_plain_queries(x, rows, s);
  if (!x.a.query_basis) return;
  const float* basis = x.a.query_basis + static_cast<int64_t>(x.job.head) * x.d * x.d;
  turn(x, {s.q, x.columns}, x.d, false, [&](int c) { return basis + c * x.d; }, {s.chosen, x.d});
  for (int i = simt::thread(); i < x.group * x.d; i += kScoringThreads) s.q[i / x.d * x.columns + i % x.d] = s.chosen[i];
  simt::sync_block();
}

// A warp for each head: the sum over components, or over the chosen ones, of |q| times the spread.
template <class Has, class Put>
SIMT_DEV void weigh_heads(const Scoring& x, const ScoringShared& s, Has has, Put put) {
  for (int g = simt::warp(); g < x.group; g += kScoringWarps) {
    float sum = 0;
    for (int c = simt::lane(); c < x.d; c += simt::kWarp)
      if (has(c)) sum += simt::magnitude(s.q[g * x.columns + c]) * s.spread[c];
    sum = simt::warp_sum(sum);
    if (simt::lane() == 0) put(g, sum);
  }
  simt::sync_block();
}
SIMT_DEV void weigh_all(const Scoring& x, ScoringShared& s) {
  weigh_heads(
      x, s, [](int) { return true; }, [&](int g, float sum) { s.all[g] = sum; });
}
// The softmax is the warmer the less the chosen components count.
SIMT_DEV void find_warmth(const Scoring& x, ScoringShared& s) {
  weigh_heads(
      x, s, [&](int c) { return s.ranks[c] < x.k1; },
      [&](int g, float held) {
        const float ratio = s.all[g] / held;
        s.warmth[g] = held > 0 ? ratio * simt::inv_sqrt(ratio) : 1;
      });
}

// Says whether the spread counts: it does not where the row sees no whole page, or it says nothing about a head.
SIMT_DEV bool load_spread(const Scoring& x, ScoringShared& s) {
  const bool by = x.job.row.by_spread;
  for (int c = simt::thread(); c < x.d; c += kScoringThreads)
    s.spread[c] = by ? spread_of_row(x.job.kv, x.job.head, x.d, c, x.job.row.pages) : 1;
  simt::sync_block();
  weigh_all(x, s);
  if (!by) return false;
  bool says = true;
  for (int g = 0; g < x.group; ++g) says = says && s.all[g] > 0 && s.all[g] < simt::infinity();
  if (says) return true;
  simt::sync_block();
  for (int c = simt::thread(); c < x.d; c += kScoringThreads) s.spread[c] = 1;
  simt::sync_block();
  weigh_all(x, s);
  return false;
}

// The components that count most in the group: each has a rank of its own, as bits are in order.
SIMT_DEV void choose_components(const Scoring& x, ScoringShared& s) {
  for (int c = simt::thread(); c < x.d; c += kScoringThreads) {
    float sum = 0;
    for (int g = 0; g < x.group; ++g) sum += simt::magnitude(s.q[g * x.columns + c]);
    s.weights[c] = simt::as_bits(sum * s.spread[c]);
  }
  simt::sync_block();
  for (int c = simt::thread(); c < x.d; c += kScoringThreads) {
    int rank = 0;
    for (int other = 0; other < x.d; ++other)
      rank += s.weights[other] > s.weights[c] || (s.weights[other] == s.weights[c] && other < c);
    s.ranks[c] = rank;
  }
  simt::sync_block();
  for (int c = simt::thread(); c < x.d; c += kScoringThreads) {
    int before = 0;
    for (int other = 0; other < c; ++other) before += s.ranks[other] < x.k1;
    if (s.ranks[c] < x.k1) s.dims[before] = c;
  }
  simt::sync_block();
}

// Queries of the chosen components only, at the softmax's temperature: for the index, and in place for rows.
SIMT_DEV void mask_queries(const Scoring& x, ScoringShared& s) {
  for (int i = simt::thread(); i < x.group * x.k1; i += kScoringThreads) {
    const int g = i / x.k1;
    s.chosen[i] = s.q[g * x.columns + s.dims[i % x.k1]] * s.warmth[g];
  }
  simt::sync_block();
  for (int i = simt::thread(); i < x.group * x.columns; i += kScoringThreads) {
    const int g = i / x.columns, c = i % x.columns;
    s.q[i] = c < x.d && s.ranks[c] < x.k1 ? s.q[i] * s.warmth[g] : 0;
  }
  if (x.a.key_basis) {
    const float* basis = x.a.key_basis + static_cast<int64_t>(x.job.head) * x.d * x.d;
    simt::sync_block();
    turn(x, {s.chosen, x.k1}, x.k1, true, [&](int i) { return basis + s.dims[i] * x.d; }, {s.q, x.columns});
  }
  if (x.job.kv.k_rotated)
    for (int g = 0; g < x.group; ++g) hadamard(s.q + g * x.columns, x.columns);
  simt::sync_block();
}

SIMT_DEV void prepare(const Scoring& x, ScoringShared& s) {
  const AttentionArgs& a = x.a.attention;
  load_index_queries(x, a.q, s);
  const bool by_spread = load_spread(x, s);
  choose_components(x, s);
  find_warmth(x, s);
  if (x.chunk.kept && a.q_kept.data) {
    load_index_queries(x, a.q_kept, s);
    if (!by_spread) {
      weigh_all(x, s);
      find_warmth(x, s);
    }
  }
  mask_queries(x, s);
}

}  // namespace skald::gpu
