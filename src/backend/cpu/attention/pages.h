// One page of one KV head: scores of its keys and weighted sums of its values, wherever the layout puts them.
#pragma once

#include "backend/cpu/attention/job.h"

namespace skald {

/// Queries as the cache's keys want them, a group's or those of several rows: floats (n, q_stride), and codes for keys of
/// integers; and the first slot of the row's own page.
struct GroupQueries {
  const float* q;
  const std::byte* codes;
  int64_t n;
  int64_t own_page = 0;
};

/// Rows of a page, and those read after them.
using RowPointers = const std::byte * [kPageKeys + kRowsAhead];
/// rows (n + kRowsAhead)
void point_at(const std::byte* first, int64_t stride, int64_t n, const std::byte* next, const std::byte** rows);

/// Returns the whole page of keys that `slot` is in; the values of the slots [slot, end).
NextPage keys_page(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot);
NextPage values_page(const KvView& kv, int64_t kv_head, int64_t slot, int64_t end);

/// Returns whether a row with this own page meets the key by its code.
inline bool is_coded(const KvView& kv, int64_t slot, int64_t own_page) {
  return kv.k_codes != KeyCodes::kNone && slot < own_page;
}

/// scores[g, i] of n coded keys in rows, of the page that `slot` is in; rows as below.
void score_coded_rows(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot, const std::byte* const* rows,
                      int64_t n, const float* q, float* scores, int64_t scores_stride, const NextPage& next = {});

/// scores[g, i] of n keys in rows, wherever these lie; rows (n + kRowsAhead). `next`: the bytes read afterwards, if they are
/// a page's.
void score_rows(const AttentionJob& job, const KvView& kv, const std::byte* const* rows, int64_t n,
                const GroupQueries& queries, float* scores, int64_t scores_stride, const NextPage& next = {});

/// scores[g, i] of the slots [slot, end), i counted from the page's beginning; slot and end - 1 lie in one page. Rows of
/// scores have room for a page. `next`: the bytes read afterwards.
void score_page(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot, int64_t end,
                const GroupQueries& queries, const NextPage& next, float* scores, int64_t scores_stride);

/// Scores (group, scores_stride) of n consecutive keys get their cap, ALiBi's bias and those by distance; `offset`: the
/// first key's position less the row's.
void adjust_group(const AttentionJob& job, int64_t kv_head, int64_t n, int64_t offset, float* scores, int64_t scores_stride);

/// out[g] += weights[g, i] * values of the slots [slot, end), i as above, of n queries; out (n, out_stride).
void add_page_values(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot, int64_t end, int64_t n,
                     const float* weights, int64_t weights_stride, const NextPage& next, float* out);

}  // namespace skald
