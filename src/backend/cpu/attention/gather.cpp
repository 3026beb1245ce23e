#include "backend/cpu/attention/gather.h"

#include <cmath>
#include <cstring>

namespace skald {

Gather::Part Gather::part(int64_t i) const {
  const int64_t first = i * kGatherKeys;
  return {keys_ + first, std::min(kGatherKeys, n_ - first)};
}

const std::byte* Gather::key_at(int32_t key) const {
  const int64_t slot = candidates_.slot(key);
  const bool open = kv_.k_codes != KeyCodes::kNone && !is_coded(kv_, slot, job_.own_page(kv_, row_));
  return open ? kv_.open_row(head_, slot) : kv_.k_row(head_, slot);
}

// The part's values are read afterwards.
void Gather::point_at_keys(const Part& part, const std::byte** rows) const {
  if (kv_.k_order == KeyOrder::kDims) return;
  for (int64_t i = 0; i < part.n; ++i) rows[i] = key_at(part.keys[i]);
  for (int64_t i = 0; i < kRowsAhead; ++i)
    rows[part.n + i] = kv_.v_row(head_, candidates_.slot(part.keys[std::min(i, part.n - 1)]));
}

// The next part's keys are read afterwards.
void Gather::point_at_values(const Part& part, const std::byte** rows) const {
  for (int64_t i = 0; i < part.n; ++i) rows[i] = kv_.v_row(head_, candidates_.slot(part.keys[i]));
  const int64_t later = keys_ + n_ - (part.keys + part.n);
  const bool asks = later > 0 && kv_.k_order == KeyOrder::kRows;
  for (int64_t i = 0; i < kRowsAhead; ++i)
    rows[part.n + i] = asks ? key_at(part.keys[part.n + std::min(i, later - 1)]) : rows[part.n - 1];
}

// A key by dimensions, whose numbers have the size of T.
template <class T>
void Gather::copy_key(int64_t slot, std::byte* row) const {
  const std::byte* from = kv_.k_page(head_, slot) + slot % kPageKeys * static_cast<int64_t>(sizeof(T));
  for (int64_t c = 0; c < job_.a.d_k; ++c) std::memcpy(row + c * sizeof(T), from + c * kv_.k_stride, sizeof(T));
}

// Keys by dimensions become rows a few at a time.
void Gather::score_rows_of(const int32_t* keys, int64_t n, const std::byte* const* rows, const GroupQueries& queries,
                           float* scores, int64_t stride, std::byte* key_rows) const {
  if (kv_.k_codes != KeyCodes::kNone) return score_coded(keys, n, rows, queries, scores, stride, key_rows);
  if (kv_.k_order == KeyOrder::kRows) return score_rows(job_, kv_, rows, n, queries, scores, stride);
  const int64_t bytes = kv_.k_stride / kPageKeys, row_bytes = job_.a.d_k * bytes;
  for (int64_t i = 0; i < n; i += kPageKeys) {
    const int64_t some = std::min(kPageKeys, n - i);
    for (int64_t k = 0; k < some; ++k) {
      const int64_t slot = candidates_.slot(keys[i + k]);
      std::byte* row = key_rows + k * row_bytes;
      bytes == 2 ? copy_key<uint16_t>(slot, row) : copy_key<float>(slot, row);
    }
    RowPointers copies;
    point_at(key_rows, row_bytes, some, key_rows, copies);
    score_rows(job_, kv_, copies, some, queries, scores + i, stride);
  }
}

// Keys of a page share its numbers.
void Gather::score_coded(const int32_t* keys, int64_t n, const std::byte* const* rows, const GroupQueries& queries,
                         float* scores, int64_t stride, std::byte* key_rows) const {
  for (int64_t i = 0, some; i < n; i += some) {
    const int64_t slot = candidates_.slot(keys[i]), page = slot / kPageKeys;
    for (some = 1; i + some < n && candidates_.slot(keys[i + some]) / kPageKeys == page;) ++some;
    if (kv_.k_order == KeyOrder::kDims)
      score_some_of_page(keys + i, some, queries, scores + i, stride, reinterpret_cast<float*>(key_rows));
    else if (is_coded(kv_, slot, queries.own_page))
      score_coded_rows(job_, kv_, head_, slot, rows + i, some, queries.q, scores + i, stride);
    else
      score_rows(job_, kv_, rows + i, some, queries, scores + i, stride);
  }
}

// By components: the codes of a single key touch all lines of the page, so that all of its keys are scored.
void Gather::score_some_of_page(const int32_t* keys, int64_t n, const GroupQueries& queries, float* scores, int64_t stride,
                                float* page) const {
  const int64_t first = candidates_.slot(keys[0]), last = candidates_.slot(keys[n - 1]);
  score_page(job_, kv_, head_, first, last + 1, queries, {kv_.k_page(head_, first), 0}, page, kPageKeys);
  for (int64_t g = 0; g < job_.group(); ++g)
    for (int64_t i = 0; i < n; ++i) scores[g * stride + i] = page[g * kPageKeys + candidates_.slot(keys[i]) % kPageKeys];
}

// Cap and ALiBi's bias, of which kept keys have one of their own.
void Gather::adjust(const Part& part, int64_t kept, float* scores, int64_t stride) const {
  const float cap = job_.a.softcap;
  if (cap <= 0 && !job_.slopes) return;
  for (int64_t g = 0; g < job_.group(); ++g) {
    const float slope = job_.slope(head_ * job_.group() + g);
    for (int64_t i = 0; i < part.n; ++i) {
      float& x = scores[g * stride + i];
      if (cap > 0) x = cap * std::tanh(x / cap);
      const int64_t position = candidates_.slot(part.keys[i]) + (i < kept ? kv_.dropped : kv_.shift);
      x += slope * static_cast<float>(position - job_.position(row_));
    }
  }
}

void Gather::score(int64_t i, const RowQueries& queries, float* scores, int64_t stride, std::byte* key_rows) const {
  const Part p = part(i);
  const int64_t kept = std::lower_bound(p.keys, p.keys + p.n, candidates_.kept) - p.keys;
  Rows rows;
  point_at_keys(p, rows);
  if (kept) score_rows_of(p.keys, kept, rows, queries.kept, scores, stride, key_rows);
  if (kept < p.n) score_rows_of(p.keys + kept, p.n - kept, rows + kept, queries.others, scores + kept, stride, key_rows);
  adjust(p, kept, scores, stride);
}

void Gather::attend(int64_t i, const RowQueries& queries, float* scores, int64_t stride, std::byte* key_rows,
                    const SoftmaxState& state) const {
  score(i, queries, scores, stride, key_rows);
  const Part p = part(i);
  state.clear(job_.group());
  state.weigh(job_.kernels, 0, job_.group(), p.n, scores, stride, /*columns=*/0);
  Rows rows;
  point_at_values(p, rows);
  job_.kernels.values[kv_.v_format]({.p = scores,
                                     .p_stride = stride,
                                     .group = job_.group(),
                                     .rows = rows,
                                     .n = p.n,
                                     .d = job_.value_columns(kv_),
                                     .out = state.out,
                                     .out_stride = state.stride});
}

}  // namespace skald
