// Sparse attention of one decode row on one KV head: a few query components score all keys, the best keys are attended to
// exactly (SparQ, arXiv 2312.04985). Which keys are kept is decided by choose_keys alone; the rest knows only their places.
// Bound: read bandwidth of the chosen dimensions, then of single rows.
#pragma once

#include "backend/cpu/attention/decode.h"
#include "skald/sparq_params.h"

namespace skald {

struct SparqScratch {
  SparqScratch(const AttentionJob& job, Scratch& scratch);
  DecodeScratch dense;
  float* plain;  // (group, q_stride): queries as the index has them
  struct Masked {
    float* q;  // (group, q_stride): with the chosen dimensions only
    std::byte* codes;
  };
  Masked masked, masked_kept;  // of the row's queries, and of those that meet kept keys
  float *magnitude, *run_sum;  // (d_k) and (d_v): sums of values, of all and of a run
  float* chosen_q;             // (group, d_k)
  int32_t* dims;               // (d_k)
  float* scores;               // (group, capacity)
  float *rank, *weights;       // (capacity); of scores or chunks of them
  int32_t *keys, *select;      // (capacity), select_top's own
  const std::byte** rows;      // (capacity + kRowsAhead)
  std::byte* key_rows;         // (kPageKeys, d_k), of keys by dimensions
  float* norms;                // (3, group): largest scores, sums, and shares of the best keys by the index
  float *exact, *again;  // of the best keys by the index: (group, capacity), scores or a group's weights; (capacity), ranks
  int32_t* picked;       // (capacity)
  int64_t capacity;      // most keys of a row, and what aligning them takes
};

/// Dense where the parameters keep all keys.
void attend_row_sparsely(const AttentionJob& job, const SparqParams& params, const KvView& kv, int64_t row, int64_t kv_head,
                         SparqScratch& s);

}  // namespace skald
