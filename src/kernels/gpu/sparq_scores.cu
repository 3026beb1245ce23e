// Sparse decoding, step one: scores of all keys by some components of a row's queries, those that count most by |q| times
// the spread of the keys (SparQ, arXiv 2312.04985; see SparqScores of the CPU). Or the most that keys of whole pages can
// score (Quest, arXiv 2406.10774; PageBounds). Bound: the bytes of these components in the index, or of bounds.
#include "kernels/gpu/cache_blocks.inl"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/key_spread.inl"
#include "kernels/gpu/sparq.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / simt::kWarp;
constexpr int kParts = 8, kPartNumbers = 8;  // threads of a page, and keys of each
constexpr int kHeads = 8;                    // whose scores a thread finds at once
static_assert(kParts * kPartNumbers == kPageKeys && kThreads / kParts * kPageKeys == kChunkKeys);

struct Shared {
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
  for (int i = simt::thread(); i < x.group * x.d; i += kThreads) {
    const int g = i / x.d, c = i % x.d;
    float sum = 0;
    for (int j = 0; j < n; ++j) sum = simt::fma1(from.data[g * from.step + j], adds_rows ? row(j)[c] : row(c)[j], sum);
    to.data[g * to.step + c] = sum;
  }
  simt::sync_block();
}

SIMT_DEV void load_plain_queries(const Scoring& x, const Matrix& rows, Shared& s) {
  const AttentionArgs& a = x.a.attention;
  const float* from = rows.data + x.job.row.row * rows.step + static_cast<int64_t>(x.job.head) * x.group * x.d;
  simt::sync_block();
  for (int i = simt::thread(); i < x.group * x.columns; i += kThreads) {
    const int g = i / x.columns, c = i % x.columns;
    s.q[i] = c < x.d ? from[g * x.d + c] * a.scale : 0;
  }
  simt::sync_block();
}
// By the components of the index.
SIMT_DEV void load_queries(const Scoring& x, const Matrix& rows, Shared& s) {
  load_plain_queries(x, rows, s);
  if (!x.a.query_basis) return;
  const float* basis = x.a.query_basis + static_cast<int64_t>(x.job.head) * x.d * x.d;
  turn(x, {s.q, x.columns}, x.d, false, [&](int c) { return basis + c * x.d; }, {s.chosen, x.d});
  for (int i = simt::thread(); i < x.group * x.d; i += kThreads) s.q[i / x.d * x.columns + i % x.d] = s.chosen[i];
  simt::sync_block();
}

// A warp for each head: the sum over components, or over the chosen ones, of |q| times the spread.
template <class Has, class Put>
SIMT_DEV void weigh_heads(const Scoring& x, const Shared& s, Has has, Put put) {
  for (int g = simt::warp(); g < x.group; g += kWarps) {
    float sum = 0;
    for (int c = simt::lane(); c < x.d; c += simt::kWarp)
      if (has(c)) sum += simt::magnitude(s.q[g * x.columns + c]) * s.spread[c];
    sum = simt::warp_sum(sum);
    if (simt::lane() == 0) put(g, sum);
  }
  simt::sync_block();
}
SIMT_DEV void weigh_all(const Scoring& x, Shared& s) {
  weigh_heads(
      x, s, [](int) { return true; }, [&](int g, float sum) { s.all[g] = sum; });
}
// The softmax is the warmer the less the chosen components count.
SIMT_DEV void find_warmth(const Scoring& x, Shared& s) {
  weigh_heads(
      x, s, [&](int c) { return s.ranks[c] < x.k1; },
      [&](int g, float held) {
        const float ratio = s.all[g] / held;
        s.warmth[g] = held > 0 ? ratio * simt::inv_sqrt(ratio) : 1;
      });
}

// Says whether the spread counts: it does not where the row sees no whole page, or it says nothing about a head.
SIMT_DEV bool load_spread(const Scoring& x, Shared& s) {
  const PageSet& pages = x.job.row.pages;
  const bool by = x.job.row.by_spread && pages.kept + pages.end > pages.begin;
  for (int c = simt::thread(); c < x.d; c += kThreads)
    s.spread[c] = by ? spread_of_row(x.job.kv, x.job.head, x.d, c, pages) : 1;
  simt::sync_block();
  weigh_all(x, s);
  if (!by) return false;
  bool says = true;
  for (int g = 0; g < x.group; ++g) says = says && s.all[g] > 0 && s.all[g] < simt::infinity();
  if (says) return true;
  simt::sync_block();
  for (int c = simt::thread(); c < x.d; c += kThreads) s.spread[c] = 1;
  simt::sync_block();
  weigh_all(x, s);
  return false;
}

// The components that count most in the group: each has a rank of its own, as bits are in order.
SIMT_DEV void choose_components(const Scoring& x, Shared& s) {
  for (int c = simt::thread(); c < x.d; c += kThreads) {
    float sum = 0;
    for (int g = 0; g < x.group; ++g) sum += simt::magnitude(s.q[g * x.columns + c]);
    s.weights[c] = simt::as_bits(sum * s.spread[c]);
  }
  simt::sync_block();
  for (int c = simt::thread(); c < x.d; c += kThreads) {
    int rank = 0;
    for (int other = 0; other < x.d; ++other)
      rank += s.weights[other] > s.weights[c] || (s.weights[other] == s.weights[c] && other < c);
    s.ranks[c] = rank;
  }
  simt::sync_block();
  for (int c = simt::thread(); c < x.d; c += kThreads) {
    int before = 0;
    for (int other = 0; other < c; ++other) before += s.ranks[other] < x.k1;
    if (s.ranks[c] < x.k1) s.dims[before] = c;
  }
  simt::sync_block();
}

// Queries of the chosen components only, at the softmax's temperature: for the index, and in place for rows.
SIMT_DEV void mask_queries(const Scoring& x, Shared& s) {
  for (int i = simt::thread(); i < x.group * x.k1; i += kThreads) {
    const int g = i / x.k1;
    s.chosen[i] = s.q[g * x.columns + s.dims[i % x.k1]] * s.warmth[g];
  }
  simt::sync_block();
  for (int i = simt::thread(); i < x.group * x.columns; i += kThreads) {
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

SIMT_DEV void prepare(const Scoring& x, Shared& s) {
  const AttentionArgs& a = x.a.attention;
  load_queries(x, a.q, s);
  const bool by_spread = load_spread(x, s);
  choose_components(x, s);
  find_warmth(x, s);
  if (x.chunk.kept && a.q_kept.data) {
    load_queries(x, a.q_kept, s);
    if (!by_spread) {
      weigh_all(x, s);
      find_warmth(x, s);
    }
  }
  mask_queries(x, s);
}

// A head's score of a slot, in powers of 2.
SIMT_DEV float adjusted(const Scoring& x, int64_t query_head, int slot, float score) {
  const AttentionArgs& a = x.a.attention;
  if (a.softcap > 0) score = a.softcap * simt::hyperbolic_tangent(score / a.softcap);
  if (a.slopes) score += a.slopes[query_head] * static_cast<float>(slot + x.chunk.span.first - x.job.row.position);
  return score * simt::kLog2E;
}

/// A thread's part of a page that the index has.
template <KeyIndex kKind>
SIMT_DEV void score_by_index(const Scoring& x, int page_slot, int part, const Shared& s) {
  const IndexPage page(x.job.kv.index, x.job.head, page_slot + x.chunk.span.lead);
  for (int first = 0; first < x.group; first += kHeads) {
    const int n = at_most(x.group - first, kHeads);
    float sums[kHeads][kPartNumbers] = {};
    for (int i = 0; i < x.k1; ++i) {
      float k[kPartNumbers];
      IndexCodes<kKind>::load(page, s.dims[i], part, k);
#pragma unroll
      for (int g = 0; g < kHeads; ++g) {
        const float q = g < n ? s.chosen[(first + g) * x.k1 + i] : 0;
#pragma unroll
        for (int j = 0; j < kPartNumbers; ++j) sums[g][j] = simt::fma1(q, k[j], sums[g][j]);
      }
    }
#pragma unroll
    for (int g = 0; g < kHeads; ++g) {
      if (g >= n) continue;
      const int64_t head = static_cast<int64_t>(x.job.head) * x.group + first + g;
      float* to = scores_of(x.a, x.job, head, x.chunk.number) + page_slot - x.chunk.first;
#pragma unroll
      for (int j = 0; j < kPartNumbers; ++j) {
        const int key = IndexCodes<kKind>::key(part, j);
        to[key] = x.chunk.sees(page_slot + key) ? adjusted(x, head, page_slot + key, sums[g][j]) : kUnseen;
      }
    }
  }
}

/// Likewise of one that is not full yet, or of a row that sees few keys.
SIMT_DEV void score_by_rows(const Scoring& x, int page_slot, int part, const Shared& s) {
  for (int j = 0; j < kPartNumbers; ++j) {
    const int slot = page_slot + part * kPartNumbers + j;
    for (int g = 0; g < x.group; ++g) {
      const int64_t head = static_cast<int64_t>(x.job.head) * x.group + g;
      float& score = scores_of(x.a, x.job, head, x.chunk.number)[slot - x.chunk.first];
      score = kUnseen;
      if (!x.chunk.sees(slot)) continue;
      const Cached key = key_of(x.job.kv, x.job.head, slot);
      float sum = 0;
      for (int c = 0; c < x.columns; ++c) sum = simt::fma1(s.q[g * x.columns + c], load_cached(key, c), sum);
      score = adjusted(x, head, slot, sum);
    }
  }
}

/// Keys that are not scored, though the row may see them.
SIMT_DEV void skip_keys(const Scoring& x, int page_slot, int part) {
  for (int g = 0; g < x.group; ++g) {
    const int64_t head = static_cast<int64_t>(x.job.head) * x.group + g;
    float* to = scores_of(x.a, x.job, head, x.chunk.number) + page_slot - x.chunk.first + part * kPartNumbers;
    for (int j = 0; j < kPartNumbers; ++j) to[j] = kUnseen;
  }
}

/// The most that a key of a page can score: its bounds are the largest numbers of its keys, then the least ones.
SIMT_DEV float bound_of(const float* q, int d, const simt::F16* bounds) {
  float sum = 0;
  for (int c = 0; c < d; ++c) sum = simt::fma1(q[c], simt::to_float(bounds[q[c] > 0 ? c : d + c]), sum);
  return sum;
}
// All keys of a page have its score. A bias is that of the last one.
SIMT_DEV void score_by_bounds(const Scoring& x, int page_slot, int part, const Shared& s) {
  const SequenceIndex& index = x.job.kv.index;
  const int64_t position = page_slot + x.chunk.span.lead;
  const IndexRun& run = *last_run_from(index, position);
  const std::byte* bounds = columns_of(index, run, x.job.head) + place_of(index, run).bounds +
                            (position - run.base) / kPageKeys * bounds_bytes(x.d);
  for (int g = 0; g < x.group; ++g) {
    const int64_t head = static_cast<int64_t>(x.job.head) * x.group + g;
    const float bound = bound_of(s.q + g * x.columns, x.d, reinterpret_cast<const simt::F16*>(bounds));
    const float score = adjusted(x, head, page_slot + static_cast<int>(kPageKeys) - 1, bound);
    float* to = scores_of(x.a, x.job, head, x.chunk.number) + page_slot - x.chunk.first;
    for (int key = part * kPartNumbers; key < (part + 1) * kPartNumbers; ++key)
      to[key] = x.chunk.sees(page_slot + key) ? score : kUnseen;
  }
}
SIMT_DEV void score_pages(const Scoring& x, const Shared& s) {
  const int part = simt::thread() % kParts, slot = x.chunk.first + simt::thread() / kParts * static_cast<int>(kPageKeys);
  const bool seen = slot + kPageKeys > x.chunk.span.begin && slot < x.chunk.span.end;
  seen&& whole_page(x.job, x.chunk, slot) >= 0 ? score_by_bounds(x, slot, part, s) : skip_keys(x, slot, part);
}

// Kept keys are scored, whatever the bounds of their pages.
SIMT_DEV bool is_skipped(const Scoring& x, int page_slot) {
  if (!x.job.row.by_pages || x.chunk.kept || !x.chunk.sees(page_slot) || whole_page(x.job, x.chunk, page_slot) < 0)
    return false;
  return ranks_of(x.a, x.job, x.chunk.number)[page_slot - x.chunk.first] < x.a.least[x.job.place_of_head(x.a)];
}

SIMT_DEV void score(const Scoring& x, const Shared& s) {
  constexpr int kIndexFrom = 1024;  // SparqParams::kIndexFrom
  const int part = simt::thread() % kParts, slot = x.chunk.first + simt::thread() / kParts * static_cast<int>(kPageKeys);
  if (is_skipped(x, slot)) return skip_keys(x, slot, part);
  const bool full = slot + kPageKeys <= x.chunk.span.end && slot + kPageKeys > x.chunk.span.begin;
  if (x.job.row.keys < kIndexFrom || !full) return score_by_rows(x, slot, part, s);
  with_kind(x.job.kv.index.kind, [&]<KeyIndex kKind>() { score_by_index<kKind>(x, slot, part, s); });
}

// A warp for each head.
SIMT_DEV void find_tops(const Scoring& x) {
  for (int g = simt::warp(); g < x.group; g += kWarps) {
    const int64_t head = static_cast<int64_t>(x.job.head) * x.group + g;
    const float* scores = scores_of(x.a, x.job, head, x.chunk.number);
    float top = kUnseen, total = 0;
    for (int i = simt::lane(); i < kChunkKeys; i += simt::kWarp) top = simt::largest(scores[i], top);
    top = simt::warp_max(top);
    for (int i = simt::lane(); i < kChunkKeys; i += simt::kWarp)
      total += scores[i] == kUnseen ? 0 : simt::power_of_2(scores[i] - top);
    total = simt::warp_sum(total);
    if (simt::lane() == 0) top_of(x.a, x.job, head, x.chunk.number) = {top, total};
  }
}

// A block is (chunk, KV head, row).
SIMT_KERNEL void SIMT_BOUNDS(kThreads, 1) sparq_scores(SparqArgs a) {
  Shared& s = simt::shared<Shared>();
  if (!begin_place(a, simt::block_z())) return;
  const SparqJob job(a, simt::block_z(), simt::block_y());
  if (!job.is_chosen_by(a)) return;
  const Chunk chunk = chunk_of(a, job, simt::block_x());
  if (!chunk.is_there()) return;
  const auto d = static_cast<int>(a.attention.d_k);
  const Scoring x{a,
                  job,
                  chunk,
                  d,
                  static_cast<int>(cached_columns(job.kv.k_format, d)),
                  static_cast<int>(a.attention.group),
                  job.choice.k1};
  if (a.pages) {
    load_plain_queries(x, chunk.kept && a.attention.q_kept.data ? a.attention.q_kept : a.attention.q, s);
    score_pages(x, s);
  } else {
    prepare(x, s);
    score(x, s);
  }
  simt::sync_block();
  find_tops(x);
}

// The memos of sequences go on to the last page that was full before the step. A block is (row, KV head).
SIMT_KERNEL void keep_spreads(SparqArgs a) {
  if (!begin_place(a, simt::block_x())) return;
  const SparqJob job(a, simt::block_x(), simt::block_y());
  if (job.row.keeps) keep_spread(job.kv, job.head, a.attention.d_k, job.row.summed);
}

void launch_scores(simt::Stream stream, const SparqArgs& a, int64_t rows) {
  const auto n = static_cast<unsigned>(rows), heads = static_cast<unsigned>(a.attention.heads / a.attention.group);
  if (!a.pages) launch_early<keep_spreads>(stream, {{n, heads}, kThreads}, a);
  launch_early<sparq_scores>(stream, {{static_cast<unsigned>(a.chunks), heads, n}, kThreads, sizeof(Shared)}, a);
}

}  // namespace

template <>
void fill_sparq_scores<simt::Target>(GpuKernels& kernels) {
  kernels.sparq_scores = launch_scores;
}

}  // namespace skald::gpu
