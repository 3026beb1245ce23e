#include "backend/cpu/attention/chosen.h"

namespace skald {

static void attend_loaded(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const int32_t* keys,
                          int64_t n, int64_t part, const ChosenScratch& s, const SoftmaxState& state) {
  const Candidates candidates = candidates_of(job, kv, row);
  const DecodeScratch::Head& own = s.dense.heads[0];
  const int64_t own_page = job.own_page(kv, row);
  const RowQueries queries{queries_of(own, false, job.group(), own_page), queries_of(own, true, job.group(), own_page)};
  Gather(job, kv, row, kv_head, candidates, keys, n).attend(part, queries, s.scores, kGatherKeys, s.key_rows, state);
}

void attend_chosen_part(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const int32_t* keys,
                        int64_t n, int64_t part, ChosenScratch& s, const SoftmaxState& state) {
  load_row(job, kv, row, {kv_head, 1}, s.dense);
  attend_loaded(job, kv, row, kv_head, keys, n, part, s, state);
}

void attend_chosen(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const int32_t* keys, int64_t n,
                   ChosenScratch& s) {
  load_row(job, kv, row, {kv_head, 1}, s.dense);
  const DecodeScratch::Head& own = s.dense.heads[0];
  own.total.clear(job.group());
  for (int64_t part = 0; part < gather_parts(n); ++part) {
    attend_loaded(job, kv, row, kv_head, keys, n, part, s, own.part);
    own.total.merge(job.kernels, own.part, job.group());
  }
  finish_group(job, kv, row, kv_head, own.total, 0);
}

}  // namespace skald
