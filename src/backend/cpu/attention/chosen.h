// Exact attention of one row on one KV head to keys that an operation before has chosen (choose_keys).
#pragma once

#include "backend/cpu/attention/decode.h"
#include "backend/cpu/attention/gather.h"

namespace skald {

struct ChosenScratch {
  ChosenScratch(const AttentionJob& job, Scratch& scratch)
      : dense(job, 1, scratch),
        scores(scratch.take(job.group() * kGatherKeys)),
        key_rows(scratch.take<std::byte>(gather_row_bytes(job))) {}
  DecodeScratch dense;
  float* scores;  // (group, kGatherKeys)
  std::byte* key_rows;
};

/// `keys`: n places among the row's candidates, ascending; `part` of gather_parts(n): state = the sums of its keys.
void attend_chosen_part(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const int32_t* keys,
                        int64_t n, int64_t part, ChosenScratch& s, const SoftmaxState& state);

/// All parts, merged in order.
void attend_chosen(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const int32_t* keys, int64_t n,
                   ChosenScratch& s);

}  // namespace skald
