// The keys that rows attend to, chosen by an indexer with small keys of its own: see ChooseKeys. Bound: the products of all
// keys that a row sees.
#include "kernels/gpu/choose_keys.h"

#include <algorithm>

#include "kernels/gpu/activations.inl"
#include "kernels/gpu/cache_blocks.inl"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/seen_keys.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 128;
constexpr int32_t kLeastRank = -0x7fffffff, kBeyondRanks = 0x7f800001;

struct Shared {
  float query[kMaxIndexColumns];  // of a head
  int count;
  int32_t above[kThreads], equal[kThreads];  // of each thread's part of the ranks
};

// Numbers that are ordered as floats are: -0 equals +0, and what is no number is below all others.
SIMT_DEV int32_t rank_of(float x) {
  const uint32_t bits = simt::as_bits(x), size = bits & 0x7fffffff;
  if (size > 0x7f800000) return kLeastRank;
  return bits == size ? static_cast<int32_t>(size) : -static_cast<int32_t>(size);
}

// Numbers of a head as the keys have them.
SIMT_DEV int64_t head_columns(const ChooseKeysArgs& a, const SequenceKv& kv) {
  return kv.k_rotated ? cached_columns(kv.k_format, a.d) : a.d;
}

// q (heads, d) as the keys want it: itself, or transformed in `memory`.
SIMT_DEV const float* load_queries(const ChooseKeysArgs& a, const SequenceKv& kv, const float* q, float* memory, Shared& s) {
  if (!kv.k_rotated) return q;
  const int64_t columns = head_columns(a, kv);
  for (int64_t head = 0; head < a.heads; ++head) {
    load_row(q + head * a.d, a.d, 1, columns, true, s.query);
    for (int64_t i = simt::thread(); i < columns; i += kThreads) memory[head * columns + i] = s.query[i];
  }
  simt::sync_block();
  return memory;
}

// q (heads, columns)
SIMT_DEV float score_of(const ChooseKeysArgs& a, const Cached& key, const float* q, int64_t columns, const float* weights) {
  float sum = 0;
  for (int64_t head = 0; head < a.heads; ++head) {
    float product = 0;
    for (int64_t i = 0; i < columns; ++i) product = simt::fma1(q[head * columns + i], load_cached(key, i), product);
    sum = simt::fma1(weights[head], relu(product), sum);
  }
  return sum;
}

SIMT_DEV void rank_keys(const ChooseKeysArgs& a, const SequenceKv& kv, const SeenKeys& seen, int64_t row, int32_t* ranks,
                        Shared& s) {
  float* memory = a.queries + simt::block_x() * a.queries_step;
  const float *weights = a.weights.data + row * a.weights.step, *kept = a.q_kept.data;
  const float* q = load_queries(a, kv, a.q.data + row * a.q.step, memory, s);
  kept = kept && seen.kept ? load_queries(a, kv, kept + row * a.q_kept.step, memory + a.queries_step / 2, s) : q;
  const int64_t columns = head_columns(a, kv);
  for (int64_t i = simt::thread(); i < seen.n(); i += kThreads)
    ranks[i] = rank_of(score_of(a, key_of(kv, 0, seen.slot(i)), i < seen.kept ? kept : q, columns, weights));
}

// How many of n ranks are `least` or above.
SIMT_DEV int count_from(const int32_t* ranks, int64_t n, int64_t least, Shared& s) {
  simt::sync_block();
  if (simt::thread() == 0) s.count = 0;
  simt::sync_block();
  int mine = 0;
  for (int64_t i = simt::thread(); i < n; i += kThreads) mine += ranks[i] >= least;
  simt::atomic_add(&s.count, mine);
  simt::sync_block();
  return s.count;
}

/// The ranks above the threshold are chosen, and the first `ties` that equal it.
struct Cut {
  int64_t threshold, ties;
};

SIMT_DEV Cut find_cut(const int32_t* ranks, int64_t n, int64_t k, Shared& s) {
  int64_t low = kLeastRank, high = kBeyondRanks, from_high = 0;  // from_high < k <= those from low on
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2, count = count_from(ranks, n, middle, s);
    if (count >= k) {
      low = middle;
    } else {
      high = middle;
      from_high = count;
    }
  }
  return {low, k - from_high};
}

// Each thread takes a part of the keys, and begins after those that the threads before it write.
SIMT_DEV void write_places(const int32_t* ranks, int64_t n, const Cut& cut, Shared& s, int32_t* out) {
  const int64_t each = (n + kThreads - 1) / kThreads;
  const int64_t begin = at_most(simt::thread() * each, n), end = at_most(begin + each, n);
  int32_t above = 0, equal = 0;
  for (int64_t i = begin; i < end; ++i) {
    above += ranks[i] > cut.threshold;
    equal += ranks[i] == cut.threshold;
  }
  s.above[simt::thread()] = above;
  s.equal[simt::thread()] = equal;
  simt::sync_block();
  int64_t higher = 0, ties = 0;  // before this key
  for (int t = 0; t < simt::thread(); ++t) {
    higher += s.above[t];
    ties += s.equal[t];
  }
  for (int64_t i = begin; i < end; ++i) {
    const bool is_higher = ranks[i] > cut.threshold, is_tie = ranks[i] == cut.threshold;
    if (is_higher || (is_tie && ties < cut.ties)) out[higher + at_most(ties, cut.ties)] = static_cast<int32_t>(i);
    higher += is_higher;
    ties += is_tie;
  }
}

SIMT_DEV void choose(const ChooseKeysArgs& a, int64_t row, int32_t* ranks, Shared& s) {
  const int64_t step_row = a.numbers ? a.numbers[row] : row;
  const SequenceKv& kv = a.step.kv[a.step.sequences[step_row]];
  const SeenKeys seen = seen_keys({}, kv, a.step.positions[step_row]);
  int32_t* out = a.places + row * a.places_step;
  const int64_t n = seen.n();
  if (n <= a.most) {
    for (int64_t i = simt::thread(); i < a.most; i += kThreads) out[i] = i < n ? static_cast<int32_t>(i) : -1;
    return;
  }
  rank_keys(a, kv, seen, row, ranks, s);
  write_places(ranks, n, find_cut(ranks, n, a.most, s), s, out);
}

// A block per row, then for every blocks_x()-th one.
SIMT_KERNEL void choose_keys(ChooseKeysArgs a) {
  Shared& s = simt::shared<Shared>();
  simt::wait_for_previous();
  simt::let_next_begin();
  int32_t* ranks = a.ranks + simt::block_x() * a.ranks_step;
  for (int64_t row = simt::block_x(); has_row(a.rows, row); row += simt::blocks_x()) choose(a, row, ranks, s);
}

void launch_choose_keys(simt::Stream stream, const ChooseKeysArgs& a, int64_t rows) {
  const auto blocks = static_cast<unsigned>(std::min(rows, kMostChoosingBlocks));
  launch_early<choose_keys>(stream, {{blocks}, kThreads, sizeof(Shared)}, a);
}

}  // namespace

template <>
void fill_choose_keys<simt::Target>(GpuKernels& kernels) {
  kernels.choose_keys = launch_choose_keys;
}

}  // namespace skald::gpu
