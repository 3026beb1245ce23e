// Sparse decoding, step one: scores of all keys by some components of a row's queries, from the index. Or the most that keys
// of whole pages can score (Quest, arXiv 2406.10774; PageBounds). Bound: the bytes of these components in the index, or of
// bounds.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/sparq_components.inl"

namespace skald::gpu {
namespace {

constexpr int kParts = 8, kPartNumbers = 8;  // threads of a page, and keys of each
constexpr int kHeads = 8;                    // whose scores a thread finds at once
static_assert(kParts * kPartNumbers == kPageKeys && kScoringThreads / kParts * kPageKeys == kChunkKeys);

// A head's score of a slot, in powers of 2.
SIMT_DEV float adjusted(const Scoring& x, int64_t query_head, int slot, float score) {
  const AttentionArgs& a = x.a.attention;
  if (a.softcap > 0) score = a.softcap * simt::hyperbolic_tangent(score / a.softcap);
  if (a.slopes) score += a.slopes[query_head] * static_cast<float>(slot + x.chunk.span.first - x.job.row.position);
  return score * simt::kLog2E;
}

/// A thread's part of a page that the index has.
template <KeyIndex kKind>
SIMT_DEV void score_by_index(const Scoring& x, int page_slot, int part, const ScoringShared& s) {
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
      float* to = x.scores(first + g, page_slot);
#pragma unroll
      for (int j = 0; j < kPartNumbers; ++j) {
        const int key = IndexCodes<kKind>::key(part, j);
        to[key] = x.chunk.sees(page_slot + key) ? adjusted(x, x.head(first + g), page_slot + key, sums[g][j]) : kUnseen;
      }
    }
  }
}

/// Likewise of one that is not full yet, or of a row that sees few keys.
SIMT_DEV void score_by_rows(const Scoring& x, int page_slot, int part, const ScoringShared& s) {
  for (int j = 0; j < kPartNumbers; ++j) {
    const int slot = page_slot + part * kPartNumbers + j;
    for (int g = 0; g < x.group; ++g) {
      float& score = *x.scores(g, slot);
      score = kUnseen;
      if (!x.chunk.sees(slot)) continue;
      const Cached key = key_of(x.job.kv, x.job.head, slot);
      float sum = 0;
      for (int c = 0; c < x.columns; ++c) sum = simt::fma1(s.q[g * x.columns + c], load_cached(key, c), sum);
      score = adjusted(x, x.head(g), slot, sum);
    }
  }
}

/// Keys that are not scored, though the row may see them.
SIMT_DEV void skip_keys(const Scoring& x, int page_slot, int part) {
  for (int g = 0; g < x.group; ++g) {
    float* to = x.scores(g, page_slot) + part * kPartNumbers;
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
SIMT_DEV void score_by_bounds(const Scoring& x, int page_slot, int part, const ScoringShared& s) {
  const simt::F16* bounds = bounds_of(x.job.kv.index, x.job.head, page_slot + x.chunk.span.lead, x.d);
  for (int g = 0; g < x.group; ++g) {
    const float bound = bound_of(s.q + g * x.columns, x.d, bounds);
    const float score = adjusted(x, x.head(g), page_slot + static_cast<int>(kPageKeys) - 1, bound);
    float* to = x.scores(g, page_slot);
    for (int key = part * kPartNumbers; key < (part + 1) * kPartNumbers; ++key)
      to[key] = x.chunk.sees(page_slot + key) ? score : kUnseen;
  }
}
SIMT_DEV void score_pages(const Scoring& x, const ScoringShared& s) {
  const int part = simt::thread() % kParts, slot = x.chunk.first + simt::thread() / kParts * static_cast<int>(kPageKeys);
  const bool seen = slot + kPageKeys > x.chunk.span.begin && slot < x.chunk.span.end;
  if (seen && whole_page(x.job, x.chunk, slot) >= 0)
    score_by_bounds(x, slot, part, s);
  else
    skip_keys(x, slot, part);
}

// Kept keys are scored, whatever the bounds of their pages.
SIMT_DEV bool is_skipped(const Scoring& x, int page_slot) {
  if (!x.job.row.by_pages || x.chunk.kept || !x.chunk.sees(page_slot) || whole_page(x.job, x.chunk, page_slot) < 0)
    return false;
  return ranks_of(x.a, x.job, x.chunk.number)[page_slot - x.chunk.first] < x.a.least[x.job.place_of_head(x.a)];
}

SIMT_DEV void score(const Scoring& x, const ScoringShared& s) {
  const int part = simt::thread() % kParts, slot = x.chunk.first + simt::thread() / kParts * static_cast<int>(kPageKeys);
  if (is_skipped(x, slot)) return skip_keys(x, slot, part);
  const bool full = slot + kPageKeys <= x.chunk.span.end && slot + kPageKeys > x.chunk.span.begin;
  if (!x.job.row.by_index || !full) return score_by_rows(x, slot, part, s);
  with_kind(x.job.kv.index.kind, [&]<KeyIndex kKind>() { score_by_index<kKind>(x, slot, part, s); });
}

// A warp for each head.
SIMT_DEV void find_tops(const Scoring& x) {
  for (int g = simt::warp(); g < x.group; g += kScoringWarps) {
    const float* scores = x.scores(g, x.chunk.first);
    float top = kUnseen, total = 0;
    for (int i = simt::lane(); i < kChunkKeys; i += simt::kWarp) top = simt::largest(scores[i], top);
    top = simt::warp_max(top);
    for (int i = simt::lane(); i < kChunkKeys; i += simt::kWarp)
      total += scores[i] == kUnseen ? 0 : simt::power_of_2(scores[i] - top);
    total = simt::warp_sum(total);
    if (simt::lane() == 0) top_of(x.a, x.job, x.head(g), x.chunk.number) = {top, total};
  }
}

SIMT_DEV void score_chunk(const Scoring& x, ScoringShared& s) {
  if (x.a.pages) {
    load_plain_queries(x, x.queries(), s);
    score_pages(x, s);
  } else {
    prepare(x, s);
    score(x, s);
  }
  simt::sync_block();
  find_tops(x);
}

// A block is (chunk, KV head, row).
SIMT_KERNEL void SIMT_BOUNDS(kScoringThreads, 1) sparq_scores(SparqArgs a) {
  with_chunk(a, [&](const SparqJob& job, const Chunk& chunk) {
    score_chunk(Scoring(a, job, chunk), simt::shared<ScoringShared>());
  });
}

// The memos of sequences go on to the last page that was full before the step. A block is (row, KV head).
SIMT_KERNEL void keep_spreads(SparqArgs a) {
  if (!begin_place(a, simt::block_x())) return;
  const SparqJob job(a, simt::block_x(), simt::block_y());
  if (job.row.keeps) keep_spread(job.kv, job.head, a.attention.d_k, job.row.summed);
}

void launch_scores(simt::Stream stream, const SparqArgs& a, int64_t rows) {
  const auto n = static_cast<unsigned>(rows), heads = static_cast<unsigned>(a.attention.heads / a.attention.group);
  if (!a.pages) launch_early<keep_spreads>(stream, {{n, heads}, kScoringThreads}, a);
  launch_early<sparq_scores>(stream, {{static_cast<unsigned>(a.chunks), heads, n}, kScoringThreads, sizeof(ScoringShared)},
                             a);
}

}  // namespace

template <>
void fill_sparq_scores<simt::Target>(GpuKernels& kernels) {
  kernels.sparq_scores = launch_scores;
}

}  // namespace skald::gpu
