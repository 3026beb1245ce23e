#include "backend/gpu/sparq.h"

#include <algorithm>

#include "backend/scratch.h"
#include "base/checked.h"
#include "kernels/gpu/sparq.h"
#include "quant/f32/block.h"

namespace skald::gpu {
namespace {

constexpr int64_t kMostBytes = 128 << 20;  // of rows' memory: more rows take more launches

// The kept keys and the others may share a chunk, and begin within one.
int64_t most_chunks(const Attention& a) { return ceil_div(a.max_keys, int64_t{kChunkKeys}) + 3; }

// Points the arguments to the memory of `rows` rows.
void place(const Attention& a, int64_t rows, Scratch& memory, SparqArgs& args) {
  const int64_t heads = rows * a.n_heads, kv_heads = rows * a.n_kv_heads, chunks = most_chunks(a);
  args.chunks = chunks;
  args.rows_at_once = rows;
  args.scores = memory.take(heads * chunks * kChunkKeys);
  args.tops = memory.take<simt::Float2>(heads * chunks);
  args.totals = memory.take(heads);
  args.ranks = memory.take<uint16_t>(kv_heads * chunks * kChunkKeys);
  args.least = memory.take<int32_t>(kv_heads);
  args.attention.parts = memory.take(heads * chunks * (round_up(a.d_v, int64_t{32}) + kMoreSums));
}

int64_t bytes_of(const Attention& a, int64_t rows) {
  Scratch memory(nullptr);
  SparqArgs args;
  place(a, rows, memory, args);
  return memory.used();
}

int64_t rows_at_once(const Attention& a, int64_t rows) {
  return std::clamp(kMostBytes / bytes_of(a, 1), int64_t{1}, std::max(rows, int64_t{1}));
}

}  // namespace

std::string refuse_sparse_heads(const Attention& a) {
  const int64_t group = a.n_heads / a.n_kv_heads, numbers = group * round_up(a.d_k, int64_t{32});
  if (a.biases || a.chosen) return "no kernel leaves keys out that were chosen before, or that have biases by distance";
  if (a.d_k != a.d_v || a.d_k > kMaxSparseColumns || group > kMaxSparseGroup || numbers > kMaxGroupNumbers)
    return fmt::format("no kernel leaves out keys of {} heads of {} and {} a KV head: leave --sparq flags out", group, a.d_k,
                       a.d_v);
  return {};
}

int64_t sparq_scratch(const Attention& a, int64_t rows) { return bytes_of(a, rows_at_once(a, rows)); }

int64_t sparq_counters(const Attention& a, int64_t rows) {
  return rows_at_once(a, rows) * (a.n_kv_heads * kRanks + a.n_heads);
}

void launch_sparq(const GpuContext& cx, const Attention& a, const GpuOpArgs& io, const AttentionArgs& args, bool by_pages) {
  const SequenceKv& kv = cx.block.cache(a.slot);
  SparqArgs sparq{.attention = args};
  Scratch memory(io.scratch);
  place(a, rows_at_once(a, io.rows), memory, sparq);
  if (a.basis) {
    sparq.key_basis = io.in[a.basis_at()].as();
    sparq.query_basis = io.in[a.basis_at() + 1].as();
  }
  sparq.bins = io.counters;
  sparq.counters = sparq.bins + sparq.rows_at_once * a.n_kv_heads * kRanks;
  for (const int64_t rows = cx.block.sparse_rows(); sparq.first < rows; sparq.first += sparq.rows_at_once) {
    const int64_t n = std::min(rows - sparq.first, sparq.rows_at_once);
    for (const bool pages : {true, false}) {
      if (pages && !kv.index.places[0].bounds) continue;
      sparq.pages = pages;
      cx.kernels.sparq_scores(cx.stream, sparq, n);
      cx.kernels.sparq_ranks(cx.stream, sparq, n);
    }
    cx.kernels.attention_chosen[by_pages ? kv.k_format : BlockF32::kId][width_index(a.d_k)](cx.stream, sparq, n);
  }
}

}  // namespace skald::gpu
