#include "backend/cpu/attention/page_bounds.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/attention/key_spread.h"
#include "backend/cpu/attention/pages.h"
#include "backend/cpu/attention/queries.h"
#include "backend/cpu/attention/state.h"
#include "quant/encoder.h"
#include "quant/registry.h"

namespace skald {
namespace {

// The nearest f16 that is not less.
uint16_t f16_from_above(float x) {
  const uint16_t half = finite_f16(x);
  if (!(f16_to_f32(half) < x) || half == finite_f16(HUGE_VALF)) return half;
  if (half == 0x8000) return 1;
  return static_cast<uint16_t>(half & 0x8000 ? half - 1 : half + 1);
}

uint16_t f16_from_below(float x) { return f16_from_above(-x) ^ 0x8000; }

// (2 d) f16: the largest numbers, then the least ones.
std::byte* bounds_of(const KvView& kv, int64_t head, int64_t position, int64_t d) {
  const IndexRun& run = kv.index.run_of(position);
  return kv.index.bounds(run, head) + (position - run.base) / kPageKeys * bounds_bytes(d);
}

}  // namespace

void store_bounds(const KvView& kv, int64_t head, int64_t position, const float* panels, int64_t panel_d, int64_t d) {
  auto* row = reinterpret_cast<uint16_t*>(bounds_of(kv, head, position, d));
  for (int64_t c = 0; c < d; ++c) {
    float most = -HUGE_VALF, least = HUGE_VALF;
    for (int64_t p = 0; p < kPageKeys / kPanel; ++p) {
      const float* keys = panels + (p * panel_d + c) * kPanel;
      for (int64_t i = 0; i < kPanel; ++i) {
        most = std::max(most, keys[i]);
        least = std::min(least, keys[i]);
      }
    }
    row[c] = f16_from_above(most);
    row[d + c] = f16_from_below(least);
  }
}

PageBoundsScratch::PageBoundsScratch(const AttentionJob& job, int64_t keys, Scratch& scratch)
    : capacity(ceil_div(keys, kPageKeys)) {
  const int64_t group = job.group();
  plain = scratch.take(group * job.q_stride());
  signs = scratch.take(group * round_up(2 * job.a.d_k, kPanel));
  scores = scratch.take(group * capacity);
  rank = scratch.take(capacity);
  chosen = scratch.take<int32_t>(capacity);
  select = scratch.take<int32_t>(select_top_scratch(capacity));
  largest = scratch.take(group);
  sum = scratch.take(group);
}

PageBounds::PageBounds(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const PageBoundsScratch& s)
    : job_(job), kv_(kv), row_(row), head_(kv_head), s_(s), pages_(whole_pages(job.a.window, kv, job.position(row))) {}

int64_t PageBounds::position(int64_t i) const { return (i < pages_.kept ? i : pages_.begin + i - pages_.kept) * kPageKeys; }

int64_t PageBounds::first_key(int64_t i, const Candidates& candidates) const {
  const int64_t slot = i < pages_.kept ? position(i) : position(i) - (position(i) < kv_.kept ? 0 : kv_.shift);
  return slot < candidates.kept ? slot : slot - candidates.others.begin + candidates.kept;
}

// Queries as the bounds are, a number with each of the two that it meets if it is positive or not.
void PageBounds::load(const HeadsView& from) const {
  load_plain_queries(job_, kv_, from, row_, head_, s_.plain);
  const int64_t d = job_.a.d_k;
  std::fill_n(s_.signs, job_.group() * split_stride(), 0.0f);
  for (int64_t g = 0; g < job_.group(); ++g)
    for (int64_t c = 0; c < d; ++c) {
      const float q = s_.plain[g * job_.q_stride() + c];
      s_.signs[g * split_stride() + (q > 0 ? c : d + c)] = q;
    }
}

void PageBounds::score() const {
  const int64_t kept = job_.q_kept.data ? pages_.kept : 0;
  if (kept > 0) {
    load(job_.q_kept);
    score_span(0, kept);
  }
  load(job_.q);
  score_span(kept, n());
}

void PageBounds::score_span(int64_t from, int64_t to) const {
  for (int64_t i = from, some; i < to; i += some) {
    some = std::min(kPageKeys, to - i);
    RowPointers rows;
    for (int64_t k = 0; k < some; ++k) rows[k] = bounds_of(kv_, head_, position(i + k), job_.a.d_k);
    std::fill_n(rows + some, kRowsAhead, rows[some - 1]);
    job_.kernels.row_scores[format_f16.id]({.q = s_.signs,
                                            .q_stride = split_stride() * static_cast<int64_t>(sizeof(float)),
                                            .group = job_.group(),
                                            .rows = rows,
                                            .n = some,
                                            .d = 2 * job_.a.d_k,
                                            .scores = s_.scores + i,
                                            .scores_stride = s_.capacity});
    adjust(i, some);
  }
}

// Cap, and ALiBi's bias of a page's last key.
void PageBounds::adjust(int64_t i, int64_t n) const {
  if (job_.a.softcap <= 0 && !job_.slopes) return;
  for (int64_t k = i; k < i + n; ++k) {
    const int64_t last = position(k) + kPageKeys - 1 + (k < pages_.kept ? kv_.dropped : 0);
    adjust_group(job_, head_, 1, last - job_.position(row_), s_.scores + k, s_.capacity);
  }
}

void PageBounds::choose(int64_t wanted, int64_t recent) const {
  if (n() == 0) return;
  const SoftmaxState softmax{.max = s_.largest, .sum = s_.sum, .out = nullptr, .stride = 0};
  softmax.clear(job_.group());
  softmax.weigh(job_.kernels, 0, job_.group(), n(), s_.scores, s_.capacity, /*columns=*/0);
  std::fill_n(s_.rank, n(), 0.0f);
  for (int64_t g = 0; g < job_.group(); ++g)
    job_.kernels.add_scaled(1 / s_.sum[g], s_.scores + g * s_.capacity, s_.rank, n());
  std::fill_n(s_.rank + n() - std::min(recent, n()), std::min(recent, n()), HUGE_VALF);
  job_.kernels.select_top({s_.rank, s_.chosen, n(), wanted, s_.select});
}

}  // namespace skald
