// Sparse decoding, the choice of keys: ranks of all keys, and the least one with which a key is attended to. A key's rank is
// the logarithm of the weights that its scores have in the softmaxes of the group's heads, so that none is lost where few
// keys have nearly all of the weight. Ranks are counted; only the keys of the least rank are listed, and the best of them
// keep it. Pages are chosen alike, all keys of which have one score. Bound: the bytes of scores.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/sparq.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 256, kBinsOfThread = kRanks / kThreads;
// Ranks are finest near the largest weight that a key may have: 64 for each power of 2 in the first 48, then ever fewer.
constexpr int kFine = 3072, kFineOfPower = 64, kCoarse = kRanks - kFine - 2, kCoarseOfPower = 128;
constexpr float kFinerForPages = 4;  // they are few, and one too many is 64 keys
constexpr int kRecent = kRanks - 1;  // the rank of keys that are chosen in any case

constexpr int kMostEdge = 1024;  // keys of the least rank that are told apart

/// The keys of the least rank with which one is chosen.
struct Edge {
  int least, higher, keys, wanted;  // the rank; keys above it; those of it, and how many of them are wanted
};

struct Shared {
  int bins[kRanks];
  Edge edge;
  int n, kept;
  int places[kMostEdge];  // of the edge: chunk by chunk
  float weights[kMostEdge];
  float totals[kMaxSparseGroup];  // log2 of the sum of 2^score, of each head
  int sums[kThreads];             // of each thread's bins
};

SIMT_DEV float log2_of(float x) { return simt::natural_log(x) * simt::kLog2E; }

/// Of a key whose weight is 2^-below of the largest possible one: 1 to kRecent - 1.
SIMT_DEV int rank_of(float below) {
  const float fine = at_least(below, 0.0f) * kFineOfPower;
  if (fine < kFine) return kRecent - 1 - static_cast<int>(fine);
  const float coarse = log2_of(fine * (1.0f / kFine)) * kCoarseOfPower;
  return at_least(kRecent - 1 - kFine - (coarse < kCoarse ? static_cast<int>(coarse) : kCoarse), 1);
}

SIMT_DEV void find_totals(const SparqArgs& a, const SparqJob& job, int chunks, Shared& s) {
  const auto group = static_cast<int>(a.attention.group);
  for (int g = simt::thread(); g < group; g += kThreads) {
    Weights w;
    for (int i = 0; i < chunks; ++i) {
      const simt::Float2 of = top_of(a, job, job.head * group + g, i);
      if (of.x != kUnseen) join(w, {of.x, of.y});
    }
    s.totals[g] = w.top + log2_of(w.total);
  }
  simt::sync_block();
}

// log2 of the sum of a key's weights over the group.
SIMT_DEV float weight_of(const SparqArgs& a, const SparqJob& job, int chunk, int key, const Shared& s) {
  const auto group = static_cast<int>(a.attention.group);
  float top = kUnseen, total = 0;
  for (int g = 0; g < group; ++g) {
    const float x = scores_of(a, job, job.head * group + g, chunk)[key] - s.totals[g];
    const float larger = simt::largest(x, top);
    total = simt::fma1(total, simt::power_of_2(top - larger), simt::power_of_2(x - larger));
    top = larger;
  }
  return top + log2_of(total);
}

// Whether a key is not chosen in any case: recent ones are, and where pages are chosen those in no whole page.
SIMT_DEV bool is_free(const SparqArgs& a, const SparqJob& job, const Chunk& chunk, const SeenKeys& seen, int slot) {
  if (!a.pages) return (chunk.kept ? slot : seen.kept + slot - seen.begin) < seen.n() - job.choice.local;
  const int page = whole_page(job, chunk, slot);
  return page >= 0 && page < job.row.pages.n() - job.choice.recent;
}
// Keys that are wanted: of chosen pages, and those that are in none.
SIMT_DEV int wanted_keys(const SparqArgs& a, const SparqJob& job) {
  if (!a.pages) return job.choice.k2;
  return job.row.keys - static_cast<int>((job.row.pages.n() - job.choice.pages) * kPageKeys);
}

SIMT_DEV void rank_keys(const SparqArgs& a, const SparqJob& job, const Chunk& chunk, Shared& s) {
  const SeenKeys seen = seen_keys(a.attention.window, job.kv, job.row.position);
  const float most = log2_of(static_cast<float>(a.attention.group)), finer = a.pages ? kFinerForPages : 1;
  uint16_t* ranks = ranks_of(a, job, chunk.number);
  for (int key = simt::thread(); key < kChunkKeys; key += kThreads) {
    const int slot = chunk.first + key;
    int rank = 0;
    if (chunk.sees(slot)) {
      rank =
          is_free(a, job, chunk, seen, slot) ? rank_of((most - weight_of(a, job, chunk.number, key, s)) * finer) : kRecent;
      simt::atomic_add(&s.bins[rank], 1);
    }
    ranks[key] = static_cast<uint16_t>(rank);
  }
  simt::sync_block();
}

// The rank from which on there are k2 keys or more. Bins become zeros.
SIMT_DEV void find_least(const SparqArgs& a, const SparqJob& job, int* bins, Shared& s) {
  int sum = 0;
  const int first = simt::thread() * kBinsOfThread;
  for (int i = first; i < first + kBinsOfThread; ++i) {
    s.bins[i] = bins[i];
    bins[i] = 0;
    sum += s.bins[i];
  }
  s.sums[simt::thread()] = sum;
  if (simt::thread() == 0) s.edge = {};
  simt::sync_block();
  int higher = 0;  // keys of the threads after this one
  for (int t = simt::thread() + 1; t < kThreads; ++t) higher += s.sums[t];
  const int wanted = wanted_keys(a, job);
  if (higher >= wanted || higher + sum < wanted) return;
  int least = first + kBinsOfThread - 1;
  for (; higher + s.bins[least] < wanted; --least) higher += s.bins[least];
  a.least[job.place_of_head(a)] = least;
  result_of(a, job, 0).keys = higher + s.bins[least];
  s.edge = {least, higher, s.bins[least], wanted - higher};
}

SIMT_DEV void list_edge(const SparqArgs& a, const SparqJob& job, int chunks, Shared& s) {
  if (simt::thread() == 0) s.n = s.kept = 0;
  simt::sync_block();
  for (int place = simt::thread(); place < chunks * kChunkKeys; place += kThreads) {
    const int chunk = place / kChunkKeys, key = place % kChunkKeys;
    if (ranks_of(a, job, chunk)[key] != s.edge.least) continue;
    const int at = simt::atomic_add(&s.n, 1);
    s.places[at] = place;
    s.weights[at] = weight_of(a, job, chunk, key, s);
  }
  simt::sync_block();
}

// Of the keys of the least rank those that are wanted, and equal ones, keep it. Where they are very many, all do.
SIMT_DEV void cut_edge(const SparqArgs& a, const SparqJob& job, int chunks, Shared& s) {
  simt::sync_block();
  if (s.edge.keys == s.edge.wanted || s.edge.keys > kMostEdge || s.edge.least == kRecent) return;
  list_edge(a, job, chunks, s);
  for (int i = simt::thread(); i < s.n; i += kThreads) {
    int better = 0;
    for (int other = 0; other < s.n; ++other) better += s.weights[other] > s.weights[i];
    if (better < s.edge.wanted)
      simt::atomic_add(&s.kept, 1);
    else
      ranks_of(a, job, s.places[i] / kChunkKeys)[s.places[i] % kChunkKeys] = 0;
  }
  simt::sync_block();
  if (simt::thread() == 0) result_of(a, job, 0).keys = s.edge.higher + s.kept;
}

SIMT_DEV void rank(const SparqArgs& a, const SparqJob& job, const Chunk& chunk, Shared& s) {
  for (int i = simt::thread(); i < kRanks; i += kThreads) s.bins[i] = 0;
  find_totals(a, job, chunk.all, s);
  rank_keys(a, job, chunk, s);
  int* bins = a.bins + job.place_of_head(a) * kRanks;
  for (int i = simt::thread(); i < kRanks; i += kThreads)
    if (s.bins[i]) simt::atomic_add(bins + i, s.bins[i]);
  if (!simt::last_block(a.counters + job.place_of_head(a), chunk.all)) return;
  const auto group = static_cast<int>(a.attention.group);
  for (int g = simt::thread(); g < group; g += kThreads)
    a.totals[job.place * a.attention.heads + job.head * group + g] = s.totals[g];
  find_least(a, job, bins, s);
  cut_edge(a, job, chunk.all, s);
}

// A block is (chunk, KV head, row).
SIMT_KERNEL void sparq_ranks(SparqArgs a) {
  with_chunk(a, [&](const SparqJob& job, const Chunk& chunk) { rank(a, job, chunk, simt::shared<Shared>()); });
}

void launch_ranks(simt::Stream stream, const SparqArgs& a, int64_t rows) {
  const simt::Grid grid{static_cast<unsigned>(a.chunks), static_cast<unsigned>(a.attention.heads / a.attention.group),
                        static_cast<unsigned>(rows)};
  launch_early<sparq_ranks>(stream, {grid, kThreads, sizeof(Shared)}, a);
}

}  // namespace

template <>
void fill_sparq_ranks<simt::Target>(GpuKernels& kernels) {
  kernels.sparq_ranks = launch_ranks;
}

}  // namespace skald::gpu
