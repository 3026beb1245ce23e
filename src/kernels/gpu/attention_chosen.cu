// Sparse decoding, step two: attention to the keys that have a rank, as sparq_ranks.cu found it. Each block lists those of
// its chunk and meets them as attention_parts.cu meets pages; the last block of a row and KV head joins all, and mixes in
// the mean of the values for the keys that were left out. Bound: the bytes of the chosen keys and values, which lie apart.
// SASS of attention_chosen: HMMA.16816.F32, LDSM.16.MT88.4.
// SASS of HalvesQ8_0, HalvesQ4_0: LDG.E.NA.LTC128B.64.
#include "kernels/gpu/attention_parts.inl"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/sparq.inl"
#include "kernels/gpu/value_sums.inl"

namespace skald::gpu {
namespace {

constexpr int kRounds = kChunkKeys / kPartThreads, kWarpSlots = kChunkKeys / kPartWarps;

template <int D>
struct Shared {
  PartShared<D> part;
  uint16_t list[kChunkKeys];  // of chosen keys, in order
  int counts[kPartWarps];
  float shares[kQueries];  // of the listed keys in heads' approximate softmaxes
  Weights weights[kQueries];
  Shares joins[kQueries];
  float errors[kPartWarps];
};

SIMT_DEV int value_columns(const SparqArgs& a, const PartJob& job) {
  return static_cast<int>(cached_columns(job.kv.v_format, a.attention.d_v));
}
SIMT_DEV float* part_at(const SparqArgs& a, const SparqJob& row, const PartJob& job, int head, int chunk) {
  const int64_t number = (row.place * a.attention.heads + job.heads.first + head) * a.chunks + chunk;
  return a.attention.parts + number * (value_columns(a, job) + kMoreSums);
}

// Each warp has a quarter of the chunk. Gives the number of keys.
template <int D>
SIMT_DEV int list_keys(const SparqArgs& a, const SparqJob& row, int chunk, Shared<D>& s) {
  const uint16_t* ranks = ranks_of(a, row, chunk) + simt::warp() * kWarpSlots;
  const int least = at_least(a.least[row.place_of_head(a)], 1);
  uint32_t chosen[kRounds];
  int n = 0;
#pragma unroll
  for (int i = 0; i < kRounds; ++i) {
    chosen[i] = simt::votes(ranks[i * simt::kWarp + simt::lane()] >= least);
    n += simt::count_bits(chosen[i]);
  }
  if (simt::lane() == 0) s.counts[simt::warp()] = n;
  simt::sync_block();
  int at = 0, all = 0;
  for (int w = 0; w < kPartWarps; ++w) {
    if (w < simt::warp()) at += s.counts[w];
    all += s.counts[w];
  }
  const uint32_t before = (1u << simt::lane()) - 1;
#pragma unroll
  for (int i = 0; i < kRounds; ++i) {
    if (chosen[i] >> simt::lane() & 1)
      s.list[at + simt::count_bits(chosen[i] & before)] =
          static_cast<uint16_t>(simt::warp() * kWarpSlots + i * simt::kWarp + simt::lane());
    at += simt::count_bits(chosen[i]);
  }
  simt::sync_block();
  return all;
}

// The share that the listed keys have in a head's softmax of approximate scores: a warp for each head.
template <int D>
SIMT_DEV void find_shares(const SparqArgs& a, const SparqJob& row, const PartJob& job, int chunk, int n, Shared<D>& s) {
  for (int m = simt::warp(); m < job.heads.n; m += kPartWarps) {
    const int64_t head = job.heads.first + m;
    const float *scores = scores_of(a, row, head, chunk), total = a.totals[row.place * a.attention.heads + head];
    float share = 0;
    for (int i = simt::lane(); i < n; i += simt::kWarp) share += simt::power_of_2(scores[s.list[i]] - total);
    share = simt::warp_sum(share);
    if (simt::lane() == 0) s.shares[m] = share;
  }
  simt::sync_block();
}

// Joins what the block's warps have to what the part has already.
template <int D>
SIMT_DEV void store_part(const SparqArgs& a, const SparqJob& row, const PartJob& job, int chunk, bool first, Shared<D>& s) {
  const int columns = value_columns(a, job);
  simt::sync_block();
  if (const int m = simt::thread(); m < job.heads.n) {
    Weights w;
    for (int k = 0; k < kPartWarps; ++k) join(w, s.part.weights[k][m]);
    s.joins[m] = join(s.weights[m], w);
  }
  join_warps(job, columns, s.part, [&](int m, int column, float sum, const Weights&) {
    float* to = part_at(a, row, job, m, chunk);
    to[column] = first ? sum : joined(to[column], sum, s.joins[m]);
  });
}

template <class Cache, int D>
SIMT_DEV void attend_chunk(const SparqArgs& a, const SparqJob& row, const PartJob& job, const Chunk& chunk, Shared<D>& s) {
  load_queries(a.attention, job, chunk.kept, s.part);
  const int n = list_keys(a, row, chunk.number, s);
  if (row.row.mean) find_shares(a, row, job, chunk.number, n, s);
  if (simt::thread() < kQueries) s.weights[simt::thread()] = {};
  const Sight sight = sight_of(a.attention, job, chunk.span);
  constexpr auto kKeys = static_cast<int>(kPageKeys);
  for (int first = 0; first == 0 || first < n; first += kPartKeys) {
    const int mine = first + simt::warp() * kKeys;
    if (mine < n)
      attend_keys<Cache>(a.attention, sight, ListedKeys{job.kv, job.heads.kv_head, s.list + mine, n - mine, chunk.first},
                         s.part);
    else
      attend_none(s.part);
    store_part(a, row, job, chunk.number, first == 0, s);
    simt::sync_block();
  }
  if (const int m = simt::thread(); m < job.heads.n) {
    float* to = part_at(a, row, job, m, chunk.number) + value_columns(a, job);
    to[0] = s.weights[m].top;
    to[1] = s.weights[m].total;
    to[2] = row.row.mean ? s.shares[m] : 0;
  }
}

/// The mean of all values, as they are cached.
SIMT_DEV float mean_of(const SparqArgs& a, const SparqJob& row, const PartJob& job, int column) {
  const Span others = row.span(a, false);
  const int64_t first = row.span(a, true).end > 0 ? 0 : others.begin + job.kv.shift;
  return mean_value(job.kv, job.heads.kv_head, first, others.end + job.kv.shift, column);
}

// The rows' results come to shared memory.
template <int D>
SIMT_DEV void join_chunks(const SparqArgs& a, const SparqJob& row, const PartJob& job, int chunks, Shared<D>& s) {
  const int columns = value_columns(a, job);
  float* rows = s.part.staged();
  for (int i = simt::thread(); i < job.heads.n * columns; i += kPartThreads) {
    const int m = i / columns, column = i % columns;
    const float* from = part_at(a, row, job, m, 0);
    const auto number = [&](int k, int n) { return from[k * (columns + kMoreSums) + n]; };
    Weights w;
    float sum = join_all(
        chunks, w,
        [&](int k) {
          return Weights{number(k, columns), number(k, columns + 1)};
        },
        [&](int k) { return number(k, column); });
    if (row.row.mean) {
      float alpha = 0;
      for (int k = 0; k < chunks; ++k) alpha += number(k, columns + 2);
      sum = simt::fma1((1 - alpha) * w.total, mean_of(a, row, job, column), alpha * sum);
    }
    rows[m * D + column] = sum * last_factor(w, a.attention.sink_logits, job.heads.first + m);
  }
  finish_rows(job, columns, s.part);
}

// |few - all|^2 of the block's heads, of a row whose attention to all keys is there.
template <int D>
SIMT_DEV void measure(const SparqArgs& a, const SparqJob& row, const PartJob& job, const float* all, Shared<D>& s) {
  const auto d = static_cast<int>(a.attention.d_v);
  const float* few = s.part.staged();
  float sum = 0;
  for (int i = simt::thread(); i < job.heads.n * d; i += kPartThreads) {
    const float off = few[i / d * D + i % d] - all[i];
    sum = simt::fma1(off, off, sum);
  }
  sum = simt::warp_sum(sum);
  if (simt::lane() == 0) s.errors[simt::warp()] = sum;
  simt::sync_block();
  if (simt::thread() > 0) return;
  float error = 0;
  for (int w = 0; w < kPartWarps; ++w) error += s.errors[w];
  const int tile = job.heads.first % static_cast<int>(a.attention.group) / kQueries;
  result_of(a, row, tile).error = error;
}

template <int D>
SIMT_DEV void finish(const SparqArgs& a, const SparqJob& row, const PartJob& job, int chunks, Shared<D>& s) {
  join_chunks(a, row, job, chunks, s);
  if (row.row.measured)
    measure(a, row, job, results_of(a.attention, job), s);
  else
    store_rows(a.attention, job, s.part);
}

// A block is (chunk, heads, row).
template <class Cache, int D>
SIMT_KERNEL void SIMT_BOUNDS(kPartThreads, D > 128 ? 1 : 2) attention_chosen(SparqArgs a) {
  auto& s = simt::shared<Shared<D>>();
  if (!begin_place(a, simt::block_z())) return;
  const HeadTile heads = head_tile(a.attention, simt::block_y());
  const SparqJob row(a, simt::block_z(), heads.kv_head);
  if (!row.is_sparse()) return;
  const Chunk chunk = chunk_of(a, row, simt::block_x());
  if (!chunk.is_there()) return;
  const PartJob job{row.row.row, row.row.position, heads, row.kv};
  attend_chunk<Cache>(a, row, job, chunk, s);
  int* counter = a.counters + row.place * a.attention.heads + heads.first;
  if (simt::last_block(counter, chunk.all)) finish(a, row, job, chunk.all, s);
}

template <class Cache, int D>
void launch_chosen(simt::Stream stream, const SparqArgs& a, int64_t rows) {
  const auto heads = static_cast<unsigned>(a.attention.heads / a.attention.group * a.attention.head_tiles);
  const simt::Grid grid{static_cast<unsigned>(a.chunks), heads, static_cast<unsigned>(rows)};
  launch_early<attention_chosen<Cache, D>>(stream, {grid, kPartThreads, sizeof(Shared<D>)}, a);
}

}  // namespace

template <>
void fill_attention_chosen<simt::Target>(GpuKernels& kernels) {
  const auto fill = [&]<class Cache, int D>() {
    kernels.attention_chosen[Cache::kId][width_index(D)] = launch_chosen<Cache, D>;
  };
  for_each_attention(fill);
  for_each_width<HalvesAny>(fill);
}

}  // namespace skald::gpu
