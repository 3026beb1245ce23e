// Rows that attend to few keys: where a block finds its row and its chunk of the keys. The chunks of a row are those of the
// kept keys, then those of the others; they begin at positions that are multiples of kChunkKeys.
#pragma once

#include "kernels/gpu/attention_pages.inl"
#include "kernels/gpu/sparq.h"

namespace skald::gpu {

/// A row of the list on a KV head.
struct SparqJob {
  int at, place;  // in the list; among those that have memory
  int head;       // KV head
  const SparseRow& row;
  const SparseHead& choice;
  const SequenceKv& kv;

  SIMT_DEV SparqJob(const SparqArgs& a, int place_, int head_)
      : at(static_cast<int>(a.first) + place_),
        place(place_),
        head(head_),
        row(a.attention.sparse.rows[at]),
        choice(a.attention.sparse.heads[at * heads(a) + head_]),
        kv(a.attention.step.kv[row.sequence]) {}

  SIMT_DEV static int heads(const SparqArgs& a) { return static_cast<int>(a.attention.heads / a.attention.group); }
  SIMT_DEV bool is_sparse() const { return row.row >= 0 && choice.k2 > 0; }
  /// Whether a launch that chooses pages, or keys, is for it.
  SIMT_DEV bool is_chosen_by(const SparqArgs& a) const { return is_sparse() && (a.pages ? row.by_pages : row.by_scores); }
  /// Of rows that have memory.
  SIMT_DEV int64_t place_of_head(const SparqArgs& a) const { return static_cast<int64_t>(place) * heads(a) + head; }
  SIMT_DEV Span span(const SparqArgs& a, bool kept) const { return span_of(a.attention, kv, row.position, kept); }
};

SIMT_DEV bool begin_place(const SparqArgs& a, int place) {
  simt::wait_for_previous();
  simt::let_next_begin();
  return has_row(a.attention.sparse.count, a.first + place);
}

/// A chunk of a row's keys: its slots, and those that the row sees.
struct Chunk {
  bool kept;
  int first;        // slot, below 0 where the span begins within a chunk
  int number, all;  // of the row's chunks
  Span span;
  SIMT_DEV bool is_there() const { return number < all; }
  SIMT_DEV bool sees(int slot) const { return slot >= span.begin && slot < span.end; }
};
SIMT_DEV Chunk chunk_of(const SparqArgs& a, const SparqJob& job, int number) {
  const Span kept = job.span(a, true), others = job.span(a, false);
  const int kept_chunks = kept.parts(kChunkKeys), all = kept_chunks + others.parts(kChunkKeys);
  const bool is_kept = number < kept_chunks;
  const Span& span = is_kept ? kept : others;
  const int part = span.part_of(span.begin, kChunkKeys) + number - (is_kept ? 0 : kept_chunks);
  return {is_kept, span.first_of(part, kChunkKeys), number, all, span};
}

/// The number of a slot's page among those whose keys a row sees as a whole; -1: it is none of them.
SIMT_DEV int whole_page(const SparqJob& job, const Chunk& chunk, int slot) {
  const PageSet& pages = job.row.pages;
  const int page = (slot + chunk.span.lead) / static_cast<int>(kPageKeys);
  if (page < pages.kept) return page;
  if (page < pages.begin || page >= pages.end) return -1;
  return static_cast<int>(pages.kept + page - pages.begin);
}
/// Calls f(job, chunk) where a launch's block (chunk, KV head, row) has keys to choose from. By all threads.
template <class F>
SIMT_DEV void with_chunk(const SparqArgs& a, F f) {
  if (!begin_place(a, simt::block_z())) return;
  const SparqJob job(a, simt::block_z(), simt::block_y());
  if (!job.is_chosen_by(a)) return;
  if (const Chunk chunk = chunk_of(a, job, simt::block_x()); chunk.is_there()) f(job, chunk);
}

/// A head's scores of a chunk, of the query heads of all KV heads; the chunk's largest and sum.
SIMT_DEV float* scores_of(const SparqArgs& a, const SparqJob& job, int64_t query_head, int64_t chunk) {
  return a.scores + ((job.place * a.attention.heads + query_head) * a.chunks + chunk) * kChunkKeys;
}
SIMT_DEV simt::Float2& top_of(const SparqArgs& a, const SparqJob& job, int64_t query_head, int64_t chunk) {
  return a.tops[(job.place * a.attention.heads + query_head) * a.chunks + chunk];
}
/// Of the row on the KV head; errors are by tiles of its heads.
SIMT_DEV SparseResult& result_of(const SparqArgs& a, const SparqJob& job, int tile) {
  return a.attention.sparse.results[(job.at * SparqJob::heads(a) + job.head) * a.attention.head_tiles + tile];
}
SIMT_DEV uint16_t* ranks_of(const SparqArgs& a, const SparqJob& job, int64_t chunk) {
  return a.ranks + (job.place_of_head(a) * a.chunks + chunk) * kChunkKeys;
}

}  // namespace skald::gpu
