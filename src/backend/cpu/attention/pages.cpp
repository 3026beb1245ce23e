#include "backend/cpu/attention/pages.h"

#include <algorithm>

namespace skald {

NextPage keys_page(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot) {
  if (kv.k_codes != KeyCodes::kNone) return {kv.k_page(kv_head, slot), CodedPage{kv.k_codes, job.a.d_k, kv.k_order}.bytes()};
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

static void score_with(RowScoresFn kernel, const AttentionJob& job, const KvView& kv, const std::byte* const* rows,
                       int64_t n, const GroupQueries& queries, float* scores, int64_t scores_stride, const NextPage& next) {
  const bool integers = job.kernels.score_act[kv.k_format] == ActFormat::kQ8;
  const int64_t columns = job.key_columns(kv);
  kernel({.q = integers ? static_cast<const void*>(queries.codes) : queries.q,
          .q_stride = integers ? act_q8_bytes(columns) : job.q_stride() * static_cast<int64_t>(sizeof(float)),
          .group = queries.n,
          .rows = rows,
          .n = n,
          .d = columns,
          .scores = scores,
          .scores_stride = scores_stride,
          .next = next});
}

void score_rows(const AttentionJob& job, const KvView& kv, const std::byte* const* rows, int64_t n,
                const GroupQueries& queries, float* scores, int64_t scores_stride, const NextPage& next) {
  score_with(job.kernels.row_scores[kv.k_format], job, kv, rows, n, queries, scores, scores_stride, next);
}

namespace {

// Of folded queries, on the stack: some heads at a time.
constexpr int64_t kMostFolded = 32;

// score(folded (heads, q_stride), heads, their scores) for all heads of the group, as they meet the codes of the page that
// `slot` is in; then the rest of the scores is added: n of each head. The page comes from the nearest cache when further
// heads pass.
template <class Score>
void score_folded(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot, int64_t n, const float* q,
                  float* scores, int64_t scores_stride, Score score) {
  alignas(64) float folded[kMostCodedColumns], bias[kMostFolded];
  const int64_t stride = job.q_stride();
  for (int64_t g = 0, heads; g < job.group(); g += heads) {
    heads = std::min({job.group() - g, kMostCodedColumns / stride, kMostFolded});
    job.kernels.fold_queries[static_cast<size_t>(kv.k_codes)]({.q = q + g * stride,
                                                               .q_stride = stride,
                                                               .group = heads,
                                                               .d = job.a.d_k,
                                                               .page = kv.k_page(kv_head, slot),
                                                               .folded = folded,
                                                               .bias = bias});
    score(folded, heads, scores + g * scores_stride);
    for (int64_t i = 0; i < heads; ++i)
      job.kernels.adjust_scores(
          {.scores = scores + (g + i) * scores_stride, .n = n, .softcap = 0, .bias = bias[i], .slope = 0});
  }
}

}  // namespace

void score_coded_rows(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot, const std::byte* const* rows,
                      int64_t n, const float* q, float* scores, int64_t scores_stride, const NextPage& next) {
  score_folded(job, kv, kv_head, slot, n, q, scores, scores_stride, [&](const float* folded, int64_t heads, float* to) {
    job.kernels.code_scores[static_cast<size_t>(kv.k_codes)](
        {.q = folded,
         .q_stride = job.q_stride() * static_cast<int64_t>(sizeof(float)),
         .group = heads,
         .rows = rows,
         .n = n,
         .d = CodedPage{kv.k_codes, job.a.d_k}.columns(),
         .scores = to,
         .scores_stride = scores_stride,
         .next = next});
  });
}

// Keys [0, n) of a page of components.
static void score_coded_dims(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot, int64_t n,
                             const float* q, const NextPage& next, float* scores, int64_t scores_stride) {
  score_folded(job, kv, kv_head, slot, n, q, scores, scores_stride, [&](const float* folded, int64_t heads, float* to) {
    job.kernels.code_dim_scores[static_cast<size_t>(kv.k_codes)]({.q = folded,
                                                                  .q_stride = job.q_stride(),
                                                                  .group = heads,
                                                                  .keys = kv.k_page(kv_head, slot),
                                                                  .k_stride = kv.k_stride,
                                                                  .next = next,
                                                                  .n = n,
                                                                  .d = job.a.d_k,
                                                                  .scores = to,
                                                                  .scores_stride = scores_stride});
  });
}

void score_page(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot, int64_t end,
                const GroupQueries& queries, const NextPage& next, float* scores, int64_t scores_stride) {
  const int64_t first = slot % kPageKeys, n = end - slot;
  const bool coded = is_coded(kv, slot, queries.own_page), open = kv.k_codes != KeyCodes::kNone && !coded;
  if (coded && kv.k_order == KeyOrder::kDims)
    return score_coded_dims(job, kv, kv_head, slot, first + n, queries.q, next, scores, scores_stride);
  if (!open && kv.k_order == KeyOrder::kDims) {
    job.kernels.dim_scores[kv.k_format]({.q = queries.q,
                                         .q_stride = job.q_stride(),
                                         .group = queries.n,
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
  if (open)
    point_at(kv.open_row(kv_head, slot), kv.open.stride, n, next.first, rows);
  else
    point_at(kv.k_row(kv_head, slot), kv.k_stride, n, next.first, rows);
  if (coded) return score_coded_rows(job, kv, kv_head, slot, rows, n, queries.q, scores + first, scores_stride, next);
  const RowScoresFn in_order = open || !kv.in_order ? nullptr : job.kernels.row_scores_in_order[kv.k_format];
  score_with(in_order ? in_order : job.kernels.row_scores[kv.k_format], job, kv, rows, n, queries, scores + first,
             scores_stride, next);
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

void add_page_values(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t slot, int64_t end, int64_t n,
                     const float* weights, int64_t weights_stride, const NextPage& next, float* out) {
  RowPointers rows;
  point_at(kv.v_row(kv_head, slot), kv.v_stride, end - slot, next.first, rows);
  job.kernels.values[kv.v_format]({.p = weights + slot % kPageKeys,
                                   .p_stride = weights_stride,
                                   .group = n,
                                   .rows = rows,
                                   .n = end - slot,
                                   .d = job.value_columns(kv),
                                   .out = out,
                                   .out_stride = job.out_stride(),
                                   .next = next});
}

}  // namespace skald
