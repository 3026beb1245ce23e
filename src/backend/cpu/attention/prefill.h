// Attention of a block of rows of one sequence on one KV head: pages of keys by tiles of queries. One pass, no matrix of all
// scores (Dao, arXiv 2307.08691). Bound: the peak of f32 fused multiply-adds, of dot products of 16 bits, or of tiles.
#pragma once

#include "backend/cpu/attention/job.h"
#include "backend/cpu/attention/state.h"

namespace skald {

/// Returns the rows of each block of n, about the same in all. Unpacking a page costs little beside the products with this
/// many, and a block stays in L2.
int64_t block_rows(const AttentionJob& job, const KvView& kv, int64_t n);

/// Returns whether a block gives its rows the same results as one by one, bit for bit: by floats, over keys and values
/// without scales. If not, prompts go by blocks, few rows too, since they may be cut anywhere, and generated tokens one by
/// one.
bool block_is_exact(const AttentionJob& job, const KvView& kv);

/// Returns whether a block of `rows` rows meets pages as these lie, as a single row does: few ones of an exact block.
bool meets_pages_directly(const AttentionJob& job, const KvView& kv, int64_t rows);

/// A block's queries: (rows * group, q_stride), and the same as act_q16 or bf16x2 rows where products are of such.
struct QueryBlock {
  float* floats;
  std::byte* codes;
};

struct PrefillScratch {
  PrefillScratch(const AttentionJob& job, Scratch& scratch);
  QueryBlock q, q_kept;
  float* scores;         // (queries of a tile, kPageKeys)
  float *keys, *values;  // panels of a page
  // The same and the scores of a tile for products of 16 bits; null where there are none.
  PanelQ16 *key_blocks = nullptr, *value_blocks = nullptr;
  float* value_units = nullptr;
  PanelBf16x2 *key_tiles = nullptr, *value_tiles = nullptr;  // for those of tiles
  std::byte* weight_codes = nullptr;                         // for both
  std::byte* codes;                                          // of one group of queries
  SoftmaxState part, total;                                  // (rows * group)
};

/// Rows [first, first + n) on a KV head, as many as block_rows says or fewer; of one sequence, at consecutive positions.
struct BlockRows {
  int64_t first, n, head;
};
void attend_block(const AttentionJob& job, const KvView& kv, const BlockRows& rows, PrefillScratch& s);

/// s.part becomes the sums of a part of the keys, as count_parts counts them.
void attend_block_part(const AttentionJob& job, const KvView& kv, const BlockRows& rows, int64_t part, PrefillScratch& s);
/// Results from the merged state of all parts.
void finish_block(const AttentionJob& job, const KvView& kv, const BlockRows& rows, const SoftmaxState& state);

}  // namespace skald
