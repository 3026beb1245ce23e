#include "backend/cpu/attention/sparq_scores.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/attention/key_spread.h"
#include "backend/cpu/attention/queries.h"

namespace skald {

SparqScoresScratch::SparqScoresScratch(const AttentionJob& job, int64_t most, Scratch& scratch) : capacity(most) {
  const int64_t group = job.group();
  plain = scratch.take(group * job.q_stride());
  weights = scratch.take(job.a.d_k);
  warmth = scratch.take(group);
  own_sums = scratch.take<std::byte>(KeySums::bytes(job.a.d_k));
  panels = scratch.take(KeySpread::panel_floats(job));
  dims = scratch.take<int32_t>(job.a.d_k);
  select = scratch.take<int32_t>(select_top_scratch(job.a.d_k));
  for (Masked* m : {&masked, &masked_kept})
    *m = {scratch.take(group * job.q_stride()), scratch.take<std::byte>(query_codes_bytes(job)),
          scratch.take(group * job.a.d_k)};
  scores = scratch.take(group * capacity);
}

SparqScores::SparqScores(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head,
                         const Candidates& candidates, int64_t k1, const SparqParams& params, const SparqScoresScratch& s)
    : job_(job),
      kv_(kv),
      row_(row),
      head_(kv_head),
      candidates_(candidates),
      k1_(k1),
      choice_(params.choice),
      s_(s),
      by_index_(kv.index.kind != KeyIndex::kNone && candidates.n >= SparqParams::kIndexFrom),
      // Scores of the kept keys, then those of the others, which begin at their place in a page.
      first_(first_page() - s_.scores + candidates.others.begin % kPageKeys - candidates.kept) {}

// Where the scores of the first page of the others begin: whole pages are written.
float* SparqScores::first_page() const { return s_.scores + round_up(candidates_.kept, kPageKeys) + kPageKeys; }

// The components that count most in the group, by |q| times the spread of the keys that the row sees, or by |q| alone.
void SparqScores::choose_components() const {
  load(job_.q, s_.masked);
  const float* by = spread();
  for (int64_t c = 0; c < job_.a.d_k; ++c) {
    float sum = 0;
    for (int64_t g = 0; g < group(); ++g) sum += std::abs(s_.plain[g * job_.q_stride() + c]);
    s_.weights[c] = by ? sum * by[c] : sum;
  }
  job_.kernels.select_top({s_.weights, s_.dims, job_.a.d_k, k1_, s_.select});
  find_warmth(by);
  mask_queries(s_.masked);
  if (!candidates_.kept || !job_.q_kept.data) return;
  load(job_.q_kept, s_.masked_kept);
  if (!by) find_warmth(by);
  mask_queries(s_.masked_kept);
}

// Queries by the components of the index, from which `masked` is to be made.
void SparqScores::load(const HeadsView& from, const SparqScoresScratch::Masked& masked) const {
  if (!job_.basis) return load_plain_queries(job_, kv_, from, row_, head_, s_.plain);
  load_plain_queries(job_, kv_, from, row_, head_, masked.q);
  job_.basis.turn_queries(head_, masked.q, group(), job_.q_stride(), s_.plain);
}

// Null where |q| alone is to choose, or has to: the row sees no whole page, or the spread says nothing about one of its
// heads.
const float* SparqScores::spread() const {
  if (choice_ == SparqChoice::kMagnitude) return nullptr;
  const PageSet pages = whole_pages(job_.a.window, kv_, job_.position(row_));
  if (!pages.n()) return nullptr;
  const float* spread = KeySpread(job_, kv_, head_, s_.own_sums, s_.panels).of(pages);
  for (int64_t g = 0; g < group(); ++g)
    if (const float weight = weight_of(g, spread); !(weight > 0) || !std::isfinite(weight)) return nullptr;
  return spread;
}

// The sum of the weights of all of a head's components.
float SparqScores::weight_of(int64_t g, const float* spread) const {
  const float* q = s_.plain + g * job_.q_stride();
  float all = 0;
  for (int64_t c = 0; c < job_.a.d_k; ++c) all += spread ? std::abs(q[c]) * spread[c] : std::abs(q[c]);
  return all;
}

// The softmax is the warmer the less the chosen components count: they are multiplied by the root of all / held.
void SparqScores::find_warmth(const float* spread) const {
  for (int64_t g = 0; g < group(); ++g) {
    const float* q = s_.plain + g * job_.q_stride();
    float held = 0;
    for (int64_t i = 0; i < k1_; ++i) {
      const int32_t c = s_.dims[i];
      held += spread ? std::abs(q[c]) * spread[c] : std::abs(q[c]);
    }
    s_.warmth[g] = held > 0 ? std::sqrt(weight_of(g, spread) / held) : 1.0f;
  }
}

// Queries with the chosen components only, at the softmax's temperature: packed for the index, and in place for rows.
void SparqScores::mask_queries(const SparqScoresScratch::Masked& masked) const {
  const int64_t stride = job_.q_stride(), columns = job_.key_columns(kv_), d = job_.a.d_k;
  std::fill_n(masked.q, group() * stride, 0.0f);
  for (int64_t g = 0; g < group(); ++g)
    for (int64_t c = 0; c < k1_; ++c)
      masked.chosen[g * d + c] = masked.q[g * stride + s_.dims[c]] = s_.plain[g * stride + s_.dims[c]] * s_.warmth[g];
  if (job_.basis) job_.basis.to_whole(head_, s_.dims, k1_, masked.chosen, d, group(), masked.q, stride);
  for (int64_t g = 0; g < group() && kv_.k_rotated; ++g)
    job_.kernels.hadamard(masked.q + g * stride, columns, hadamard_block(columns));
  quantize_queries(job_, kv_, masked.q, masked.codes);
}

GroupQueries SparqScores::group_queries(const SparqScoresScratch::Masked& masked) const {
  return {masked.q, masked.codes, job_.group(), job_.own_page(kv_, row_)};
}

// Approximate scores of some pages. The kept keys come after the first of them, since their place is where it is written as
// a whole.
void SparqScores::find(int64_t part, int64_t parts, const uint8_t* skip) const {
  const SlotRange& others = candidates_.others;
  const int64_t page = others.begin / kPageKeys, pages = ceil_div(others.end, kPageKeys) - page;
  const int64_t from = page + ceil_div(pages * part, parts), to = page + ceil_div(pages * (part + 1), parts);
  score_others(from * kPageKeys, std::min(to * kPageKeys, others.end), skip);
  if (part == 0 && candidates_.kept) score_kept();
}

// Slots [from, to), from at a page's beginning: stretches of pages that are skipped, or not.
void SparqScores::score_others(int64_t from, int64_t to, const uint8_t* skip) const {
  if (!skip) return score_pages(from, to);
  skip -= candidates_.others.begin / kPageKeys;
  for (int64_t slot = from, end; slot < to; slot = end) {
    const uint8_t skipped = skip[slot / kPageKeys];
    for (end = slot + kPageKeys; end < to && skip[end / kPageKeys] == skipped;) end += kPageKeys;
    end = std::min(end, to);
    skipped ? skip_pages(slot, end) : score_pages(slot, end);
  }
}

void SparqScores::skip_pages(int64_t from, int64_t to) const {
  float* first = first_page() + from - candidates_.others.begin / kPageKeys * kPageKeys;
  for (int64_t g = 0; g < group(); ++g) std::fill_n(first + g * s_.capacity, to - from, kSkipped);
}

void SparqScores::score_pages(int64_t from, int64_t to) const {
  if (from >= to) return;
  const int64_t begin = candidates_.others.begin;
  score_span(from, to, kv_.shift, s_.masked, first_page() + from - begin / kPageKeys * kPageKeys);
  const int64_t seen = std::max(from, begin);
  adjust(candidates_.kept + seen - begin, to - seen, kv_.shift);
}

void SparqScores::score_kept() const {
  const int64_t n = candidates_.kept;
  float* kept = s_.scores;  // in front of where any are needed
  score_span(0, n, 0, job_.q_kept.data ? s_.masked_kept : s_.masked, kept);
  for (int64_t g = 0; g < group(); ++g) std::copy_backward(kept + g * s_.capacity, kept + g * s_.capacity + n, of(g) + n);
  adjust(0, n, kv_.dropped);
}

// The other terms of scores in consecutive slots: cap and ALiBi, page by page, since a bias's rounding depends on where a
// call begins.
void SparqScores::adjust(int64_t first, int64_t n, int64_t shift) const {
  if (job_.a.softcap <= 0 && !job_.slopes) return;
  for (int64_t i = first, some; i < first + n; i += some) {
    const int64_t slot = candidates_.slot(i);
    some = std::min(kPageKeys - slot % kPageKeys, first + n - i);
    adjust_group(job_, head_, some, slot + shift - job_.position(row_), of(0) + i, s_.capacity);
  }
}

// Slots [from, to), from at a page's beginning, whose positions are higher by `shift`. Full pages are scored by the index
// and the packed queries, the others by their rows.
void SparqScores::score_span(int64_t from, int64_t to, int64_t shift, const SparqScoresScratch::Masked& masked,
                             float* out) const {
  int64_t slot = from;
  if (by_index_)
    // The row's own page is full only when the row is its last.
    for (const int64_t full = to - to % kPageKeys; slot < full;)
      slot += score_run(slot, full, slot + shift, masked.chosen, out + slot - from);
  for (; slot < to; slot += kPageKeys)
    score_page(job_, kv_, head_, slot, std::min(to, slot + kPageKeys), group_queries(masked), {kv_.k_page(head_, to - 1), 0},
               out + slot - from, s_.capacity);
}

int64_t SparqScores::score_run(int64_t slot, int64_t end, int64_t position, const float* q, float* out) const {
  const KeyIndexView& index = kv_.index;
  const IndexRun& run = index.run_of(position);
  const int64_t n = std::min(end - slot, run.end - position);
  // The next run is asked for ahead, if it lies as this one does.
  const IndexRun* next = slot + n < end ? &index.run_of(position + n) : nullptr;
  const bool asked = next && next->length == run.length && next->base == position + n;
  job_.kernels.index_scores[static_cast<size_t>(index.kind)]({.q = q,
                                                              .q_stride = job_.a.d_k,
                                                              .group = group(),
                                                              .dims = s_.dims,
                                                              .k1 = k1_,
                                                              .run = index.head(run, head_),
                                                              .next = asked ? index.head(*next, head_) : nullptr,
                                                              .run_keys = index.place(run.length).run_keys,
                                                              .first = position - run.base,
                                                              .n = n,
                                                              .scores = out,
                                                              .scores_stride = s_.capacity});
  return n;
}

}  // namespace skald
