#include "backend/cpu/attention/sparq.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstring>

#include "backend/cpu/attention/pages.h"
#include "backend/cpu/attention/queries.h"
#include "backend/cpu/attention/value_sums.h"
#include "quant/registry.h"

namespace skald {
namespace {

constexpr float kAlways = 3e38f;      // the rank of keys that are kept in any case
constexpr float kFarAbove = 60;       // a score above another beside which that has no weight
constexpr int64_t kIndexFrom = 1024;  // keys: fewer are scored from their rows, for which no rounding has to be made good
constexpr int64_t kChunk = 2048;      // keys whose scores stay in L1 while they become ranks
constexpr int64_t kFloat = sizeof(float);

/// Adds the time since the last lap, if anybody wants to know.
class Stopwatch {
 public:
  explicit Stopwatch(SparqTimes* times) : times_(times) {
    if (times_) last_ = Clock::now();
  }
  void lap(std::atomic<int64_t> SparqTimes::*part) {
    if (!times_) return;
    const Clock::time_point now = Clock::now();
    (times_->*part).fetch_add(std::chrono::nanoseconds(now - last_).count(), std::memory_order_relaxed);
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  SparqTimes* times_;
  Clock::time_point last_ = {};
};

class SparqRow {
 public:
  SparqRow(const AttentionJob& job, const SparqParams& params, const KvView& kv, int64_t row, int64_t kv_head,
           SparqScratch& s)
      : job_(job), kv_(kv), row_(row), head_(kv_head), s_(s), range_(visible(job, kv, row)) {
    range_.begin = std::min(range_.begin, range_.end);  // a row among those that are kept
    n_kept_ = std::min(kv.kept, range_.end);
    n_ = n_kept_ + range_.end - range_.begin;
    choice_ = params.choose(n_, job.a.d_k, job.a.d_v);
    mean_ = params.uses_mean(job.group()) && kv.index.sums;
    by_index_ = kv.index.kind != KeyIndex::kNone && n_ >= kIndexFrom;
    // Scores of the kept keys, then those of the others, which begin at their place in a page.
    first_ = round_up(n_kept_, kPageKeys) + kPageKeys + range_.begin % kPageKeys - n_kept_;
  }

  void attend() {
    if (choice_.k2 >= n_) return attend_row(job_, kv_, row_, {head_, 1}, s_.dense);
    load_row(job_, kv_, row_, {head_, 1}, s_.dense);
    Stopwatch watch(job_.sparq_times);
    choose_components();
    score_keys();
    watch.lap(&SparqTimes::score);
    choose_keys();
    watch.lap(&SparqTimes::select);
    attend_to_keys();
    watch.lap(&SparqTimes::attend);
  }

 private:
  int64_t group() const { return job_.group(); }
  float* scores(int64_t g) const { return s_.scores + g * s_.capacity + first_; }  // of candidate 0
  int64_t slot_of(int64_t candidate) const { return candidate < n_kept_ ? candidate : range_.begin + candidate - n_kept_; }

  // The k1 largest of the group's summed |q|, and how much of each query they hold: the softmax is warmer for less.
  void choose_components() {
    load_plain(job_.q, s_.plain);
    for (int64_t c = 0; c < job_.a.d_k; ++c) {
      float sum = 0;
      for (int64_t g = 0; g < group(); ++g) sum += std::abs(s_.plain[g * job_.q_stride() + c]);
      s_.magnitude[c] = sum;
    }
    job_.kernels.select_top({s_.magnitude, s_.dims, job_.a.d_k, choice_.k1, s_.select});
  }

  void load_plain(const HeadsView& from, float* q) const {
    KvView plain = kv_;
    plain.k_rotated = false;
    load_queries(job_, plain, from, row_, head_, q);
  }

  // Queries with the chosen components only, at the softmax's temperature: packed for the index, and in place for rows.
  void mask_queries(const SparqScratch::Masked& masked) const {
    const int64_t stride = job_.q_stride(), columns = job_.key_columns(kv_);
    std::fill_n(masked.q, group() * stride, 0.0f);
    for (int64_t g = 0; g < group(); ++g) {
      const float* q = s_.plain + g * stride;
      float all = 0, held = 0;
      for (int64_t c = 0; c < job_.a.d_k; ++c) all += std::abs(q[c]);
      for (int64_t c = 0; c < choice_.k1; ++c) held += std::abs(q[s_.dims[c]]);
      const float factor = held > 0 ? std::sqrt(all / held) : 1.0f;
      for (int64_t c = 0; c < choice_.k1; ++c)
        s_.chosen_q[g * job_.a.d_k + c] = masked.q[g * stride + s_.dims[c]] = q[s_.dims[c]] * factor;
      if (kv_.k_rotated) job_.kernels.hadamard(masked.q + g * stride, columns, hadamard_block(columns));
    }
    quantize_queries(job_, kv_, masked.q, masked.codes);
  }

  GroupQueries masked() const { return {s_.masked.q, s_.masked.codes}; }
  GroupQueries masked_kept() const {
    return job_.q_kept.data ? GroupQueries{s_.masked_kept.q, s_.masked_kept.codes} : masked();
  }

  // Approximate scores of all candidates. The kept keys come last since their place is where whole pages of the others
  // were written.
  void score_keys() {
    mask_queries(s_.masked);
    const int64_t position = job_.positions[row_], page = range_.begin - range_.begin % kPageKeys;
    score_span(page, range_.end, kv_.shift, masked(), s_.scores + round_up(n_kept_, kPageKeys) + kPageKeys);
    adjust_all(scores(0) + n_kept_, range_.begin, range_.end - range_.begin, position - kv_.shift);
    if (!n_kept_) return;
    if (job_.q_kept.data) {
      load_plain(job_.q_kept, s_.plain);
      mask_queries(s_.masked_kept);
    }
    // Behind the place of the last page, where nothing is needed any more.
    float* kept = s_.scores;
    score_span(0, n_kept_, 0, masked_kept(), kept);
    for (int64_t g = 0; g < group(); ++g)
      std::copy_backward(kept + g * s_.capacity, kept + g * s_.capacity + n_kept_, scores(g) + n_kept_);
    adjust_all(scores(0), 0, n_kept_, position - kv_.dropped);
  }

  // Slots [from, to), from at a page's beginning, whose positions are so much higher: full pages by the index and what was
  // packed last, the others by their rows.
  void score_span(int64_t from, int64_t to, int64_t shift, const GroupQueries& queries, float* out) const {
    int64_t slot = from;
    if (by_index_)
      // The row's own page is full only when the row is its last.
      for (const int64_t full = to - to % kPageKeys; slot < full;)
        slot += score_run(slot, full, slot + shift, out + slot - from);
    for (; slot < to; slot += kPageKeys)
      score_page(job_, kv_, head_, slot, std::min(to, slot + kPageKeys), queries, {kv_.k_page(head_, to - 1), 0},
                 out + slot - from, s_.capacity);
  }

  int64_t score_run(int64_t slot, int64_t end, int64_t position, float* out) const {
    const KeyIndexView& index = kv_.index;
    const int64_t in_run = position % index.run_keys;
    const int64_t n = std::min(end - slot, index.run_keys - in_run);
    job_.kernels.index_scores[static_cast<size_t>(index.kind)](
        {.q = s_.chosen_q,
         .q_stride = job_.a.d_k,
         .group = group(),
         .dims = s_.dims,
         .k1 = choice_.k1,
         .run = index.head(head_, position),
         .next = slot + n < end ? index.head(head_, position + n) : nullptr,
         .run_keys = index.run_keys,
         .first = in_run,
         .n = n,
         .scores = out,
         .scores_stride = s_.capacity});
    return n;
  }

  // What else decides about a key: cap and ALiBi. `scores` of head 0, whose keys lie in slots from `slot` on.
  void adjust_all(float* scores, int64_t slot, int64_t n, int64_t distance) const {
    for (int64_t g = 0; g < group(); ++g) adjust(scores + g * s_.capacity, g, slot, n, distance);
  }

  void adjust(float* x, int64_t g, int64_t slot, int64_t n, int64_t distance) const {
    const float slope = job_.slope(head_ * group() + g), cap = job_.a.softcap;
    if (cap > 0)
      for (int64_t i = 0; i < n; ++i) x[i] = cap * std::tanh(x[i] / cap);
    if (slope != 0)
      for (int64_t i = 0; i < n; ++i) x[i] += slope * static_cast<float>(slot + i - distance);
  }

  // The k2 best candidates, ascending, in s_.keys: by the group's summed weights; the most recent ones first of all.
  void choose_keys() {
    const bool by_scores = group() == 1;
    const int64_t local = choice_.local;
    float *rank = by_scores ? scores(0) : rank_group(), *recent = rank + n_ - local;
    if (by_scores) std::copy_n(recent, local, s_.weights);
    std::fill_n(recent, local, kAlways);
    some_ = ranks_are_exact() ? choice_.k2 : std::min(n_, choice_.k2 + choice_.k2 / 16 + 16);
    job_.kernels.select_top({rank, s_.keys, n_, some_, s_.select});
    if (by_scores) std::copy_n(s_.weights, local, recent);
    if (ranked_again()) rank_again();
  }

  // Whether what ranks keys is what the cache holds.
  bool ranks_are_exact() const {
    const bool same_keys = kv_.index.kind == KeyIndex::kF16 && kv_.k_format == format_f16.id && !kv_.k_rotated;
    return !by_index_ || same_keys;
  }
  bool ranked_again() const { return some_ > choice_.k2; }

  // The index is rounded: the best of some_ keys by what the cache itself holds, so that the index costs no accuracy.
  void rank_again() {
    score_best(some_, masked(), masked_kept(), s_.exact);
    float* again = group() == 1 ? replace_scores() : sum_again();
    for (int64_t i = 0; i < some_; ++i)
      if (s_.keys[i] >= n_ - choice_.local) again[i] = kAlways;
    job_.kernels.select_top({again, s_.picked, some_, choice_.k2, s_.select});
    for (int64_t i = 0; i < choice_.k2; ++i) s_.keys[i] = s_.keys[s_.picked[i]];
  }

  // The only head's exact scores, which count among all scores from here on.
  float* replace_scores() const {
    for (int64_t i = 0; i < some_; ++i) scores(0)[s_.keys[i]] = s_.exact[i];
    return s_.exact;
  }

  // The group's weights of those keys, in softmaxes of all in which they count exactly.
  float* sum_again() const {
    for (int64_t g = 0; g < group(); ++g) {
      float top = -1e30f, sum = 0, rounded = 0;
      weigh(s_.exact + g * s_.capacity, 1, some_, &top, &sum);
      for (int64_t i = 0; i < some_; ++i) rounded += weight(g, s_.keys[i]);
      const float others = std::max(1 - rounded, 0.0f) * sums()[g] * std::exp(std::min(largest()[g] - top, kFarAbove));
      exact_shares()[g] = 1 / (sum + others);
    }
    std::fill_n(s_.again, some_, 0.0f);
    add_group(s_.exact, exact_shares(), some_, s_.again);
    return s_.again;
  }

  // Scores become weights e^(score - the largest so far), of which shares(chunk)[g] makes those of the softmax.
  float* rank_group() {
    std::fill_n(largest(), group(), -1e30f);
    std::fill_n(sums(), group(), 0.0f);
    for_chunks([&](int64_t chunk, int64_t i, int64_t n) {
      weigh(scores(0) + i, group(), n, largest(), sums());
      std::copy_n(largest(), group(), shares(chunk));
    });
    for_chunks([&](int64_t chunk, int64_t, int64_t) {
      for (int64_t g = 0; g < group(); ++g) shares(chunk)[g] = std::exp(shares(chunk)[g] - largest()[g]) / sums()[g];
    });
    std::fill_n(s_.rank, n_, 0.0f);
    for_chunks([&](int64_t chunk, int64_t i, int64_t n) { add_group(scores(0) + i, shares(chunk), n, s_.rank + i); });
    return s_.rank;
  }

  float* shares(int64_t chunk) const { return s_.weights + chunk * group(); }

  // Of the softmax of each of the group's approximate scores.
  float* largest() const { return s_.norms; }
  float* sums() const { return s_.norms + group(); }
  // By which the exact weights of keys that were ranked again are those of a softmax.
  float* exact_shares() const { return s_.norms + 2 * group(); }
  // A candidate's in the softmax of approximate scores.
  float weight(int64_t g, int64_t candidate) const { return scores(g)[candidate] * shares(candidate / kChunk)[g]; }

  // f(chunk, first candidate, candidates).
  template <class Fn>
  void for_chunks(Fn f) const {
    for (int64_t i = 0; i < n_; i += kChunk) f(i / kChunk, i, std::min(kChunk, n_ - i));
  }

  // y (n) += the sum over the group of x[g] times row g of n floats.
  void add_group(const float* rows, const float* x, int64_t n, float* y) const {
    const auto* first = reinterpret_cast<const std::byte*>(rows);
    point_at(first, s_.capacity * kFloat, group(), first + n * kFloat, s_.rows);
    job_.kernels.values[format_f32.id](
        {.p = x, .p_stride = group(), .group = 1, .rows = s_.rows, .n = group(), .d = n, .out = y, .out_stride = n});
  }

  // Rows of n scores.
  void weigh(float* x, int64_t rows, int64_t n, float* largest, float* sum) const {
    job_.kernels.softmax({.scores = x,
                          .scores_stride = s_.capacity,
                          .rows = rows,
                          .n = n,
                          .max = largest,
                          .sum = sum,
                          .out = nullptr,
                          .out_stride = 0,
                          .d = 0});
  }

  // The share of the softmax of all scores that the chosen keys have; scores are used up.
  float alpha(int64_t g) const { return group() == 1 ? alpha_of_scores() : alpha_of_weights(g); }

  float alpha_of_weights(int64_t g) const {
    float held = 0;
    for (int64_t i = 0; i < choice_.k2; ++i)
      held += ranked_again() ? s_.exact[g * s_.capacity + s_.picked[i]] * exact_shares()[g] : weight(g, s_.keys[i]);
    return held;
  }

  float alpha_of_scores() const {
    float* x = scores(0);
    float held = 0, largest = -1e30f, sum = 0, chosen_largest = -1e30f;
    for (int64_t i = 0; i < choice_.k2; ++i) s_.rank[i] = x[s_.keys[i]];
    weigh(s_.rank, 1, choice_.k2, &chosen_largest, &held);
    for_chunks([&](int64_t, int64_t i, int64_t n) { weigh(x + i, 1, n, &largest, &sum); });
    return held * std::exp(chosen_largest - largest) / sum;
  }

  // Exact attention over the chosen keys.
  void attend_to_keys() {
    const DecodeScratch::Head& own = s_.dense.heads[0];
    float* alphas = s_.chosen_q;  // needed no more
    if (mean_)
      for (int64_t g = 0; g < group(); ++g) alphas[g] = alpha(g);
    const int64_t k2 = choice_.k2;
    score_best(k2, {own.q, own.codes}, {own.q_kept, own.codes_kept}, s_.scores);
    const SoftmaxState& state = own.total;
    state.clear(group());
    state.weigh(job_.kernels, 0, group(), k2, s_.scores, s_.capacity, /*columns=*/0);
    point_at_values(k2, s_.rows);
    std::fill_n(s_.rows + k2, kRowsAhead, s_.rows[k2 - 1]);
    job_.kernels.values[kv_.v_format]({.p = s_.scores,
                                       .p_stride = s_.capacity,
                                       .group = group(),
                                       .rows = s_.rows,
                                       .n = k2,
                                       .d = job_.value_columns(kv_),
                                       .out = state.out,
                                       .out_stride = state.stride});
    if (mean_) mix_mean(state, alphas);
    finish_group(job_, kv_, row_, head_, state, 0);
  }

  // Scores of the first n chosen keys, of which kept ones meet queries of their own.
  void score_best(int64_t n, const GroupQueries& queries, const GroupQueries& of_kept, float* scores) const {
    const int64_t kept = std::lower_bound(s_.keys, s_.keys + n, n_kept_) - s_.keys;
    point_at_keys(n);
    if (kept) score_chosen(0, kept, of_kept, scores);
    if (kept < n) score_chosen(kept, n - kept, queries, scores + kept);
    for (int64_t g = 0; g < group(); ++g) adjust_chosen(scores + g * s_.capacity, g, kept, n);
  }

  // Scores of n chosen keys from the first-th on, at whose rows s_.rows points. Of keys by dimensions a few at a time become
  // rows.
  void score_chosen(int64_t first, int64_t n, const GroupQueries& queries, float* scores) const {
    if (kv_.k_order == KeyOrder::kRows) return score_rows(job_, kv_, s_.rows + first, n, queries, scores, s_.capacity);
    const int64_t bytes = kv_.k_stride / kPageKeys, row_bytes = job_.a.d_k * bytes;
    for (int64_t i = 0; i < n; i += kPageKeys) {
      const int64_t some = std::min(kPageKeys, n - i);
      for (int64_t k = 0; k < some; ++k) {
        const int64_t slot = slot_of(s_.keys[first + i + k]);
        std::byte* row = s_.key_rows + k * row_bytes;
        bytes == 2 ? copy_key<uint16_t>(slot, row) : copy_key<float>(slot, row);
      }
      RowPointers rows;
      point_at(s_.key_rows, row_bytes, some, s_.key_rows, rows);
      score_rows(job_, kv_, rows, some, queries, scores + i, s_.capacity);
    }
  }

  // A key by dimensions, whose numbers have the size of T.
  template <class T>
  void copy_key(int64_t slot, std::byte* row) const {
    const std::byte* from = kv_.k_page(head_, slot) + slot % kPageKeys * static_cast<int64_t>(sizeof(T));
    for (int64_t c = 0; c < job_.a.d_k; ++c) std::memcpy(row + c * sizeof(T), from + c * kv_.k_stride, sizeof(T));
  }

  // The first n chosen keys' rows; what is read afterwards are values.
  void point_at_keys(int64_t n) const {
    if (kv_.k_order == KeyOrder::kDims) return;
    for (int64_t i = 0; i < n; ++i) s_.rows[i] = kv_.k_row(head_, slot_of(s_.keys[i]));
    const int64_t ahead = std::min(n, kRowsAhead);
    point_at_values(ahead, s_.rows + n);
    std::fill_n(s_.rows + n + ahead, kRowsAhead - ahead, s_.rows[n + ahead - 1]);
  }

  void point_at_values(int64_t n, const std::byte** rows) const {
    for (int64_t i = 0; i < n; ++i) rows[i] = kv_.v_row(head_, slot_of(s_.keys[i]));
  }

  // Scores of head g of the first n chosen keys, `kept` of them kept ones.
  void adjust_chosen(float* x, int64_t g, int64_t kept, int64_t n) const {
    if (job_.a.softcap <= 0 && !job_.slopes) return;
    const int64_t position = job_.positions[row_];
    for (int64_t i = 0; i < n; ++i)
      adjust(x + i, g, slot_of(s_.keys[i]), 1, position - (i < kept ? kv_.dropped : kv_.shift));
  }

  // out = alpha * out + (1 - alpha) * mean of all values, before out is divided by its sum.
  void mix_mean(const SoftmaxState& state, const float* alphas) {
    const int64_t columns = job_.value_columns(kv_);
    float* mean = s_.magnitude;
    const ValueSums sums{job_.kernels, kv_, head_, columns};
    const int64_t count = sums.sum(n_kept_ ? 0 : range_.begin + kv_.shift, range_.end + kv_.shift, mean, s_.run_sum);
    for (int64_t g = 0; g < group(); ++g) {
      job_.kernels.scale(alphas[g], state.row(g), state.row(g), columns);
      job_.kernels.add_scaled((1 - alphas[g]) * state.sum[g] / static_cast<float>(count), mean, state.row(g), columns);
    }
  }

  const AttentionJob& job_;
  const KvView& kv_;
  int64_t row_, head_;
  SparqScratch& s_;
  SlotRange range_;
  SparqParams::Choice choice_;
  bool mean_, by_index_;
  int64_t some_ = 0;            // keys that are ranked by the index
  int64_t n_kept_, n_, first_;  // candidates: the kept keys, then the others
};

}  // namespace

SparqScratch::SparqScratch(const AttentionJob& job, Scratch& scratch)
    : dense(job, 1, scratch),
      // A window may come to the kept keys when others were dropped.
      capacity(round_up(job.a.max_keys + std::min(job.a.window.size, job.a.max_keys), kPageKeys) + 4 * kPageKeys) {
  const int64_t group = job.group();
  plain = scratch.take(group * job.q_stride());
  for (Masked* m : {&masked, &masked_kept})
    *m = {scratch.take(group * job.q_stride()), scratch.take<std::byte>(query_codes_bytes(job))};
  magnitude = scratch.take(std::max(job.q_stride(), job.out_stride()));
  run_sum = scratch.take(job.out_stride());
  chosen_q = scratch.take(group * job.a.d_k);
  dims = scratch.take<int32_t>(job.a.d_k);
  scores = scratch.take(group * capacity);
  rank = scratch.take(capacity);
  weights = scratch.take(std::max({capacity, kChunk, group * ceil_div(capacity, kChunk)}));
  keys = scratch.take<int32_t>(capacity);
  select = scratch.take<int32_t>(select_top_scratch(std::max(capacity, job.a.d_k)));
  norms = scratch.take(3 * group);
  again = scratch.take(capacity);
  exact = scratch.take(group * capacity);
  picked = scratch.take<int32_t>(capacity);
  rows = scratch.take<const std::byte*>(capacity + kRowsAhead);
  key_rows = scratch.take<std::byte>(kPageKeys * job.a.d_k * kFloat);
}

void attend_row_sparsely(const AttentionJob& job, const SparqParams& params, const KvView& kv, int64_t row, int64_t kv_head,
                         SparqScratch& s) {
  SparqRow(job, params, kv, row, kv_head, s).attend();
}

}  // namespace skald
