#include "backend/cpu/attention/decode.h"

#include <span>

#include "backend/cpu/attention/pages.h"
#include "backend/cpu/attention/queries.h"
#include "backend/cpu/attention/split.h"

namespace skald {
namespace {

/// Keys in the slots [from, to).
struct Span {
  int64_t from, to;
  bool kept;
  int64_t distance;  // position of the row less that of slot 0, for ALiBi
  int64_t own_page;  // of the row
};

class PartRun {
 public:
  PartRun(const AttentionJob& job, const KvView& kv, HeadRange heads, const DecodeScratch& s)
      : job_(job), kv_(kv), heads_(heads), s_(s) {}

  void attend(const Span& span) const {
    for (int64_t slot = span.from; slot < span.to;) {
      const int64_t page = slot - slot % kPageKeys, end = std::min(span.to, page + kPageKeys);
      for (int64_t h = 0; h < heads_.n; ++h) attend_page(span, slot, end, h);
      slot = end;
    }
  }

 private:
  void attend_page(const Span& span, int64_t slot, int64_t end, int64_t h) const {
    const DecodeScratch::Head& own = s_.heads[static_cast<size_t>(h)];
    const GroupQueries queries = queries_of(own, span.kept, job_.group(), span.own_page);
    const int64_t head = heads_.first + h;
    score_page(job_, kv_, head, slot, end, queries, values_page(kv_, head, slot, end), s_.scores, kPageKeys);
    weigh(span, slot, end, head, own.part);
    add_page_values(job_, kv_, head, slot, end, job_.group(), s_.scores, kPageKeys, after(span, slot, end, h), own.part.out);
  }

  // The keys that are read next.
  NextPage after(const Span& span, int64_t slot, int64_t end, int64_t h) const {
    if (h + 1 < heads_.n) return keys_page(job_, kv_, heads_.first + h + 1, slot);
    return keys_page(job_, kv_, heads_.first, end < span.to ? end : slot);
  }

  void weigh(const Span& span, int64_t slot, int64_t end, int64_t head, const SoftmaxState& state) const {
    float* scores = s_.scores + slot % kPageKeys;
    adjust_group(job_, head, end - slot, slot - span.distance, scores, kPageKeys);
    state.weigh(job_.kernels, 0, job_.group(), end - slot, scores, kPageKeys, job_.value_columns(kv_));
  }

  const AttentionJob& job_;
  const KvView& kv_;
  HeadRange heads_;
  const DecodeScratch& s_;
};

}  // namespace

DecodeScratch::DecodeScratch(const AttentionJob& job, int64_t n_heads, Scratch& scratch)
    : scores(scratch.take(job.group() * kPageKeys)) {
  const int64_t floats = SoftmaxState::floats(job.group(), job.out_stride());
  for (int64_t h = 0; h < n_heads; ++h)
    heads[static_cast<size_t>(h)] = {
        .q = scratch.take(job.group() * job.q_stride()),
        .q_kept = scratch.take(job.group() * job.q_stride()),
        .codes = scratch.take<std::byte>(query_codes_bytes(job)),
        .codes_kept = scratch.take<std::byte>(query_codes_bytes(job)),
        .part = SoftmaxState::at(scratch.take(floats), job.group(), job.out_stride()),
        .total = SoftmaxState::at(scratch.take(floats), job.group(), job.out_stride()),
    };
}

// What the first of the rows sees, and those after it see more.
static SlotRange visible_to(const AttentionJob& job, const KvView& kv, int64_t row, int64_t rows) {
  return {visible(job, kv, row).begin, visible(job, kv, row + rows - 1).end};
}

int64_t count_parts(const AttentionJob& job, const KvView& kv, int64_t row, int64_t rows) {
  const SlotRange range = visible_to(job, kv, row, rows);
  const Parts cut(job.a.n_kv_heads);
  int64_t parts = 1;
  for (int64_t at = range.begin + kv.shift; at < range.end + kv.shift; at = cut.end(at)) ++parts;
  return parts;
}

SlotRange part_of(const AttentionJob& job, const KvView& kv, int64_t row, int64_t rows, int64_t part) {
  const SlotRange range = visible_to(job, kv, row, rows);
  if (part == 0) return {0, std::min(kv.kept, range.end)};
  const Parts parts(job.a.n_kv_heads);
  int64_t from = range.begin + kv.shift;
  for (int64_t i = 1; i < part; ++i) from = parts.end(from);
  return {from - kv.shift, std::min(parts.end(from) - kv.shift, range.end)};
}

void load_row(const AttentionJob& job, const KvView& kv, int64_t row, HeadRange heads, DecodeScratch& s) {
  for (int64_t h = 0; h < heads.n; ++h) {
    const DecodeScratch::Head& own = s.heads[static_cast<size_t>(h)];
    load_queries(job, kv, job.q, row, heads.first + h, own.q);
    quantize_queries(job, kv, own.q, own.codes);
    if (!kv.kept) continue;
    load_queries(job, kv, job.q_kept.data ? job.q_kept : job.q, row, heads.first + h, own.q_kept);
    quantize_queries(job, kv, own.q_kept, own.codes_kept);
  }
}

void attend_part(const AttentionJob& job, const KvView& kv, int64_t row, HeadRange heads, int64_t part, DecodeScratch& s) {
  for (int64_t h = 0; h < heads.n; ++h) s.heads[static_cast<size_t>(h)].part.clear(job.group());
  const SlotRange slots = part_of(job, kv, row, 1, part);
  const bool kept = part == 0;
  const int64_t first = kept ? kv.dropped : kv.shift;  // position of slot 0
  PartRun(job, kv, heads, s).attend({slots.begin, slots.end, kept, job.position(row) - first, job.own_page(kv, row)});
}

void finish_group(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const SoftmaxState& state,
                  int64_t first) {
  const int64_t columns = job.value_columns(kv);
  for (int64_t g = 0; g < job.group(); ++g) {
    const int64_t head = kv_head * job.group() + g;
    float* sums = state.row(first + g);
    if (kv.v_rotated) job.kernels.hadamard(sums, columns, hadamard_block(columns));
    const float norm = state.norm(first + g, job.sink_logits ? job.sink_logits + head : nullptr);
    job.kernels.scale(norm, sums, job.out.at(row, head), job.a.d_v);
  }
}

void attend_row(const AttentionJob& job, const KvView& kv, int64_t row, HeadRange heads, DecodeScratch& s) {
  load_row(job, kv, row, heads, s);
  const std::span<const DecodeScratch::Head> own(s.heads.data(), static_cast<size_t>(heads.n));
  for (const DecodeScratch::Head& head : own) head.total.clear(job.group());
  const int64_t parts = count_parts(job, kv, row, 1);
  for (int64_t part = kv.kept ? 0 : 1; part < parts; ++part) {
    attend_part(job, kv, row, heads, part, s);
    for (const DecodeScratch::Head& head : own) head.total.merge(job.kernels, head.part, job.group());
  }
  for (int64_t h = 0; h < heads.n; ++h) finish_group(job, kv, row, heads.first + h, own[static_cast<size_t>(h)].total, 0);
}

}  // namespace skald
