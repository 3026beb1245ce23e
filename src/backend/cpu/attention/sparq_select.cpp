#include "backend/cpu/attention/sparq_select.h"

#include <algorithm>
#include <cmath>

#include "quant/registry.h"

namespace skald {
namespace {

constexpr int64_t kChunk = 2048;  // keys whose scores stay in L1 while they become ranks

}  // namespace

SparqSelectorScratch::SparqSelectorScratch(const AttentionJob& job, int64_t capacity, Scratch& scratch)
    : scores(job, capacity, scratch) {
  const int64_t group = job.group(), chunks = ceil_div(capacity, kChunk);
  rank = scratch.take(capacity);
  for (float** x : {&largest, &sums}) *x = scratch.take(chunks * group);
  alphas = scratch.take(group);
  picked_rank = scratch.take(capacity);
  for (int32_t** x : {&keys, &picked}) *x = scratch.take<int32_t>(capacity);
  skip = scratch.take<uint8_t>(capacity / kPageKeys + 2);
  select = scratch.take<int32_t>(select_top_scratch(capacity + kMaxSelectorWidth * kSelectSlack));
}

SparqSelector::SparqSelector(const AttentionJob& job, const SparqPolicy& policy, const KvView& kv, int64_t row,
                             int64_t kv_head, const Candidates& candidates, const SparqSelectorScratch& s,
                             const PageBoundsScratch& pages, int64_t width)
    : job_(job),
      candidates_(candidates),
      s_(s),
      width_(std::min(width, kMaxSelectorWidth)),
      size_(job.key_size(kv)),
      choice_(job.choice(policy, size_, kv_head, candidates.n)),
      mean_(policy.params->uses_mean(job.group()) && kv.index.has_sums()),
      scores_(job, kv, row, kv_head, candidates, choice_.k1, *policy.params, s.scores),
      bounds_(job, kv, row, kv_head, pages) {}

std::span<const SparqSelector::Stage> SparqSelector::table() {
  using S = SparqSelector;
  static constexpr Stage kStages[] = {
      {&S::once_for_pages, &S::choose_pages, true},
      {&S::one, &S::choose_components, true},
      {&S::width, &S::score, true},
      // A group's keys are ranked by sums of weights, a single head's by their scores.
      {&S::rank_chunks, &S::weigh_chunk, false},
      {&S::rank_once, &S::finish_shares, false},
      {&S::rank_chunks, &S::rank_chunk, false},
      {&S::width, &S::select, false},
      {&S::one, &S::choose, false},
      // The stages for a mean.
      {&S::mean_chunks, &S::weigh_chunk, false},
      {&S::mean_once, &S::finish_shares, false},
      {&S::once_for_mean, &S::find_alphas, false},
  };
  return kStages;
}

// The last pages with the recent keys are among those whose keys are scored.
void SparqSelector::choose_pages(int64_t) {
  const int64_t n = bounds_.n(), scored = std::min(choice_.pages, n);
  bounds_.score();
  bounds_.choose(scored, std::min(scored, ceil_div(choice_.local, kPageKeys)));
  const SlotRange& others = candidates_.others;
  std::fill_n(s_.skip, ceil_div(others.end, kPageKeys) - others.begin / kPageKeys, uint8_t{0});
  for (int64_t i = 0, next = 0; i < n; ++i) {
    if (next < scored && bounds_.chosen()[next] == i) {
      ++next;
      continue;
    }
    const int64_t first = bounds_.first_key(i, candidates_);
    if (first >= candidates_.kept) s_.skip[candidates_.slot(first) / kPageKeys - others.begin / kPageKeys] = 1;
  }
}

double SparqSelector::bytes_read() const {
  const int64_t bounds = choice_.pages > 0 ? bounds_.n() * bounds_bytes(job_.a.d_k) : 0;
  const int64_t skipped = choice_.pages > 0 ? std::max<int64_t>(0, bounds_.n() - choice_.pages) * kPageKeys : 0;
  return static_cast<double>(bounds) + static_cast<double>((candidates_.n - skipped) * choice_.k1) * size_.component_bytes;
}

int64_t SparqSelector::chunks() const { return ceil_div(candidates_.n, kChunk); }

// Scores become weights e^(score - the chunk's largest).
void SparqSelector::weigh_chunk(int64_t chunk) {
  const SoftmaxState softmax{s_.largest + chunk * group(), s_.sums + chunk * group(), /*out=*/nullptr, /*stride=*/0};
  softmax.clear(group());
  const int64_t first = chunk * kChunk, n = std::min(kChunk, candidates_.n - first);
  softmax.weigh(job_.kernels, 0, group(), n, scores_.of(0) + first, scores_.stride(), /*columns=*/0);
}

// The factors that make those weights the ones of the softmax of all.
void SparqSelector::finish_shares(int64_t) {
  for (int64_t g = 0; g < group(); ++g) {
    float largest = -1e30f, sum = 0;
    for (int64_t c = 0; c < chunks(); ++c) largest = std::max(largest, s_.largest[c * group() + g]);
    for (int64_t c = 0; c < chunks(); ++c) {
      float& share = s_.largest[c * group() + g];
      share = std::exp(share - largest);
      sum += share * s_.sums[c * group() + g];
    }
    for (int64_t c = 0; c < chunks(); ++c) s_.largest[c * group() + g] /= sum;
  }
}

// The share of the softmax of approximate scores that the chosen keys have. Each sum runs in order and waits for itself:
// those of four heads run side by side.
void SparqSelector::find_alphas(int64_t) {
  int64_t g = 0;
  for (; g + 4 <= group(); g += 4) find_alphas_of<4>(g);
  for (; g < group(); ++g) find_alphas_of<1>(g);
}

template <int kHeads>
void SparqSelector::find_alphas_of(int64_t g) const {
  const float *weights = scores_.of(g), *shares = s_.largest + g;
  const int64_t stride = scores_.stride(), heads = group();
  float sums[kHeads] = {};
  for (int64_t i = 0; i < choice_.k2; ++i) {
    const int64_t key = s_.keys[i];
    const float* share = shares + key / kChunk * heads;
#pragma GCC unroll 4
    for (int64_t h = 0; h < kHeads; ++h) sums[h] += weights[h * stride + key] * share[h];
  }
  std::copy_n(sums, kHeads, s_.alphas + g);
}

void SparqSelector::rank_chunk(int64_t chunk) {
  const int64_t first = chunk * kChunk, n = std::min(kChunk, candidates_.n - first);
  std::fill_n(s_.rank + first, n, 0.0f);
  add_group(scores_.of(0) + first, s_.largest + chunk * group(), n, s_.rank + first);
}

// The best of the part's candidates; the best of all are among those of all parts.
void SparqSelector::select(int64_t part) {
  const int64_t first = first_of(part), n = first_of(part + 1) - first;
  const int64_t wanted = std::min(n, choice_.k2 - choice_.local);
  if (wanted > 0)
    job_.kernels.select_top(
        {rank() + first, s_.picked + first, n, wanted, s_.select + select_top_scratch(0) * part + 2 * first});
}

// The best candidates, ascending, in s_.keys: by the group's summed weights; the most recent ones in any case.
void SparqSelector::choose(int64_t) {
  const int64_t wanted = choice_.k2 - choice_.local;
  int64_t n = 0;  // candidates that parts have picked come together in s_.picked
  for (int64_t part = 0; part < width_; ++part) {
    const int64_t first = first_of(part), some = std::min(first_of(part + 1) - first, wanted);
    for (int64_t i = 0; i < some; ++i, ++n) {
      s_.picked[n] = static_cast<int32_t>(first) + s_.picked[first + i];
      s_.picked_rank[n] = rank()[s_.picked[n]];
    }
  }
  if (n > wanted) {
    job_.kernels.select_top({s_.picked_rank, s_.keys, n, wanted, s_.select});
    for (int64_t i = 0; i < wanted; ++i) s_.keys[i] = s_.picked[s_.keys[i]];
  } else {
    std::copy_n(s_.picked, wanted, s_.keys);
  }
  for (int64_t i = 0; i < choice_.local; ++i) s_.keys[wanted + i] = static_cast<int32_t>(free() + i);
}

// y (n) += the sum over the group of x[g] times row g of n floats.
void SparqSelector::add_group(const float* rows, const float* x, int64_t n, float* y) const {
  for (int64_t g = 0; g < group(); g += kPageKeys) {
    const int64_t heads = std::min(kPageKeys, group() - g);
    const auto* first = reinterpret_cast<const std::byte*>(rows + g * scores_.stride());
    RowPointers pointers;
    point_at(first, scores_.stride() * static_cast<int64_t>(sizeof(float)), heads, first, pointers);
    job_.kernels.values[format_f32.id](
        {.p = x + g, .p_stride = heads, .group = 1, .rows = pointers, .n = heads, .d = n, .out = y, .out_stride = n});
  }
}

}  // namespace skald
