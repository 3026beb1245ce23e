// Attention of one row on a few KV heads, page by page. Each page is read once for all query heads; heads lie one after the
// other in a page, so that several of them are one stream.
#pragma once

#include <array>

#include "backend/cpu/attention/job.h"
#include "backend/cpu/attention/pages.h"
#include "backend/cpu/attention/state.h"

namespace skald {

/// KV heads.
struct HeadRange {
  int64_t first, n;
};
inline constexpr int64_t kDecodeHeads = 8;  // most of a task: their pieces of a page are 256 KB of f16

/// Scratch memory of a decode task.
struct DecodeScratch {
  DecodeScratch(const AttentionJob& job, int64_t n_heads, Scratch& scratch);

  struct Head {
    float *q, *q_kept;              // (group, q_stride)
    std::byte *codes, *codes_kept;  // their codes, for keys of integers
    SoftmaxState part, total;       // of the group
  };
  std::array<Head, kDecodeHeads> heads;  // n_heads of them
  float* scores;                         // (group, kPageKeys)
};
/// The head's queries of a row, and those that meet kept keys.
inline GroupQueries queries_of(const DecodeScratch::Head& head, bool kept, int64_t group, int64_t own_page) {
  return {kept ? head.q_kept : head.q, kept ? head.codes_kept : head.codes, group, own_page};
}

/// Part 0 of the keys are the kept ones; part i > 0 is the i-th of those after them (see split.h) that `rows` rows see, at
/// consecutive positions.
int64_t count_parts(const AttentionJob& job, const KvView& kv, int64_t row, int64_t rows);
SlotRange part_of(const AttentionJob& job, const KvView& kv, int64_t row, int64_t rows, int64_t part);

/// Reads the row's queries; to be called before its parts are attended to.
void load_row(const AttentionJob& job, const KvView& kv, int64_t row, HeadRange heads, DecodeScratch& s);

/// Attends to one part: each head's `part` becomes the sums of its keys.
void attend_part(const AttentionJob& job, const KvView& kv, int64_t row, HeadRange heads, int64_t part, DecodeScratch& s);

/// Results of the group's heads from the merged state; `queries` is the first of them in the state.
void finish_group(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const SoftmaxState& state,
                  int64_t first);

/// All parts, merged in order.
void attend_row(const AttentionJob& job, const KvView& kv, int64_t row, HeadRange heads, DecodeScratch& s);

}  // namespace skald
