#include "backend/cpu/attention/pages.h"

#include <algorithm>

#include "base/error.h"

namespace skald {

// Queries of a page's codes that lie on the stack: some heads at a time.
static constexpr int64_t kFoldedFloats = 4096, kMostFolded = 32;

NextPage keys_page(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot) {
  const int64_t pieces = kv.k_order == KeyOrder::kDims ? job.a.d_k : kPageKeys;
  return {kv.k_page(kv_head, slot), pieces * kv.k_stride};
}

NextPage values_page(const KvView& kv, int64_t kv_head, int64_t slot, int64_t end) {
  return {kv.v_row(kv_head, slot), (end - slot) * kv.v_stride};
}

void point_at(const std::byte* first, int64_t stride, int64_t n, const std::byte* next, const std::byte** rows) {
  for (int64_t i = 0; i < n; ++i) rows[i] = first + i * stride;
  for (int64_t i = 0; i < kRowsAhead; ++i) rows[n + i] = next + i * stride;
}

void score_rows(const AttentionJob& job, const KvView& kv, const std::byte* const* rows, int64_t n,
                const GroupQueries& queries, float* scores, int64_t scores_stride, const NextPage& next) {
  const bool integers = job.kernels.score_act[kv.k_format] == ActFormat::kQ8;
  const int64_t columns = job.key_columns(kv);
  job.kernels.row_scores[kv.k_format](
      {.q = integers ? static_cast<const void*>(queries.codes) : queries.q,
       .q_stride = integers ? act_q8_bytes(columns) : job.q_stride() * static_cast<int64_t>(sizeof(float)),
       .group = job.group(),
       .rows = rows,
       .n = n,
       .d = columns,
       .scores = scores,
       .scores_stride = scores_stride,
       .next = next});
}

// Rows come from the nearest cache when further heads pass.
void score_codes(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot, const std::byte* const* rows,
                 int64_t n, const float* q, float* scores, int64_t scores_stride, const NextPage& next) {
  alignas(64) float folded[kFoldedFloats], bias[kMostFolded];
  const int64_t stride = job.q_stride();
  const auto kind = static_cast<size_t>(kv.k_codes);
  SKALD_ASSERT(stride <= kFoldedFloats);
  for (int64_t g = 0, heads; g < job.group(); g += heads) {
    heads = std::min({job.group() - g, kFoldedFloats / stride, kMostFolded});
    job.kernels.fold_queries[kind]({.q = q + g * stride,
                                    .q_stride = stride,
                                    .group = heads,
                                    .d = job.a.d_k,
                                    .page = kv.k_page(kv_head, slot),
                                    .folded = folded,
                                    .bias = bias});
    float* const own = scores + g * scores_stride;
    job.kernels.code_scores[kind]({.q = folded,
                                   .q_stride = stride * static_cast<int64_t>(sizeof(float)),
                                   .group = heads,
                                   .rows = rows,
                                   .n = n,
                                   .d = stride,
                                   .scores = own,
                                   .scores_stride = scores_stride,
                                   .next = next});
    for (int64_t i = 0; i < heads; ++i)
      job.kernels.adjust_scores({.scores = own + i * scores_stride, .n = n, .softcap = 0, .bias = bias[i], .slope = 0});
  }
}

void score_page(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot, int64_t end,
                const GroupQueries& queries, const NextPage& next, float* scores, int64_t scores_stride) {
  const int64_t first = slot % kPageKeys, n = end - slot;
  if (kv.k_order == KeyOrder::kDims) {
    job.kernels.dim_scores[kv.k_format]({.q = queries.q,
                                         .q_stride = job.q_stride(),
                                         .group = job.group(),
                                         .keys = kv.k_page(kv_head, slot),
                                         .k_stride = kv.k_stride,
                                         .next = next,
                                         .n = first + n,
                                         .d = job.a.d_k,
                                         .scores = scores,
                                         .scores_stride = scores_stride});
    return;
  }
  RowPointers rows;
  if (is_coded(kv, slot, queries.own_page)) {
    point_at(kv.k_row(kv_head, slot), kv.k_stride, n, next.first, rows);
    return score_codes(job, kv, kv_head, slot, rows, n, queries.q, scores + first, scores_stride, next);
  }
  const int64_t stride = kv.k_codes == KeyCodes::kNone ? kv.k_stride : kv.open.stride;
  point_at(key_row(kv, kv_head, slot, queries.own_page), stride, n, next.first, rows);
  score_rows(job, kv, rows, n, queries, scores + first, scores_stride, next);
}

void adjust_group(const AttentionJob& job, int64_t kv_head, int64_t n, int64_t offset, float* scores,
                  int64_t scores_stride) {
  const bool adjusts = job.a.softcap > 0 || job.slopes;
  if (!adjusts && !job.biases.data) return;
  for (int64_t g = 0; g < job.group(); ++g) {
    const int64_t head = kv_head * job.group() + g;
    float* of_head = scores + g * scores_stride;
    if (adjusts)
      job.kernels.adjust_scores({.scores = of_head,
                                 .n = n,
                                 .softcap = job.a.softcap,
                                 .bias = job.slope(head) * static_cast<float>(offset),
                                 .slope = job.slope(head)});
    if (job.biases.data) job.biases.add(head, offset, n, of_head);
  }
}

void add_page_values(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot, int64_t end,
                     const float* weights, int64_t weights_stride, const NextPage& next, float* out) {
  RowPointers rows;
  point_at(kv.v_row(kv_head, slot), kv.v_stride, end - slot, next.first, rows);
  job.kernels.values[kv.v_format]({.p = weights + slot % kPageKeys,
                                   .p_stride = weights_stride,
                                   .group = job.group(),
                                   .rows = rows,
                                   .n = end - slot,
                                   .d = job.value_columns(kv),
                                   .out = out,
                                   .out_stride = job.out_stride(),
                                   .next = next});
}

}  // namespace skald
