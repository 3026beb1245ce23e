#include "backend/cpu/attention/decode.h"

#include "backend/cpu/attention/pages.h"
#include "backend/cpu/attention/queries.h"
#include "backend/cpu/attention/split.h"

namespace skald {
namespace {

/// The keys [from, to) of slots, met by these queries.
struct Span {
  int64_t from, to;
  GroupQueries queries;
  int64_t distance;  // position of the row less that of slot 0, for ALiBi
};

class PartRun {
 public:
  PartRun(const AttentionJob& job, const KvView& kv, int64_t kv_head, float* scores, const SoftmaxState& state)
      : job_(job), kv_(kv), head_(kv_head), scores_(scores), state_(state) {}

  void attend(const Span& span) const {
    for (int64_t slot = span.from; slot < span.to;) {
      const int64_t page = slot - slot % kPageKeys, end = std::min(span.to, page + kPageKeys);
      const std::byte* v = kv_.v_row(head_, slot);
      score_page(job_, kv_, head_, slot, end, span.queries, v, scores_, kPageKeys);
      weigh(span, slot, end);
      const std::byte* next = end < span.to ? kv_.k_page(head_, end) : v;
      add_page_values(job_, kv_, head_, slot, end, scores_, kPageKeys, next, state_.out);
      slot = end;
    }
  }

 private:
  void weigh(const Span& span, int64_t slot, int64_t end) const {
    for (int64_t g = 0; g < job_.group(); ++g) {
      const float slope = job_.slope(head_ * job_.group() + g);
      job_.kernels.softmax({.scores = scores_ + g * kPageKeys + slot % kPageKeys,
                            .n = end - slot,
                            .softcap = job_.a.softcap,
                            .bias = slope * static_cast<float>(slot - span.distance),
                            .slope = slope,
                            .max = state_.max + g,
                            .sum = state_.sum + g,
                            .out = state_.out + g * state_.stride,
                            .d = job_.value_columns(kv_)});
    }
  }

  const AttentionJob& job_;
  const KvView& kv_;
  int64_t head_;
  float* scores_;
  const SoftmaxState& state_;
};

}  // namespace

DecodeScratch::DecodeScratch(const AttentionJob& job, Scratch& scratch)
    : q(scratch.take(job.group() * job.q_stride())),
      q_kept(scratch.take(job.group() * job.q_stride())),
      codes(scratch.take<std::byte>(query_codes_bytes(job))),
      codes_kept(scratch.take<std::byte>(query_codes_bytes(job))),
      scores(scratch.take(job.group() * kPageKeys)) {
  const int64_t floats = SoftmaxState::floats(job.group(), job.out_stride());
  part = SoftmaxState::at(scratch.take(floats), job.group(), job.out_stride());
  total = SoftmaxState::at(scratch.take(floats), job.group(), job.out_stride());
}

int64_t count_parts(const AttentionJob& job, const KvView& kv, int64_t row) {
  const SlotRange range = visible(job, kv, row);
  int64_t parts = 1;
  for (int64_t at = range.begin + kv.shift; at < range.end + kv.shift; at = part_end(at)) ++parts;
  return parts;
}

void load_row(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, DecodeScratch& s) {
  load_queries(job, kv, job.q, row, kv_head, s.q);
  quantize_queries(job, kv, s.q, s.codes);
  if (!kv.kept) return;
  load_queries(job, kv, job.q_kept.data ? job.q_kept : job.q, row, kv_head, s.q_kept);
  quantize_queries(job, kv, s.q_kept, s.codes_kept);
}

void attend_part(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, int64_t part, DecodeScratch& s,
                 const SoftmaxState& state) {
  const SlotRange range = visible(job, kv, row);
  const int64_t position = job.positions[row];
  const PartRun run(job, kv, kv_head, s.scores, state);
  state.clear(job.group());
  if (part == 0) {
    run.attend({0, std::min(kv.kept, range.end), {s.q_kept, s.codes_kept}, position - kv.dropped});
    return;
  }
  int64_t from = range.begin + kv.shift;
  for (int64_t i = 1; i < part; ++i) from = part_end(from);
  run.attend({from - kv.shift, std::min(part_end(from) - kv.shift, range.end), {s.q, s.codes}, position - kv.shift});
}

void finish_group(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, const SoftmaxState& state,
                  int64_t first) {
  const int64_t columns = job.value_columns(kv);
  for (int64_t g = 0; g < job.group(); ++g) {
    const int64_t head = kv_head * job.group() + g;
    state.normalise(first + g, job.sink_logits ? job.sink_logits + head : nullptr);
    float* result = state.out + (first + g) * state.stride;
    if (kv.v_rotated) job.kernels.hadamard(result, columns, hadamard_block(columns));
    std::copy_n(result, job.a.d_v, job.out.at(row, head));
  }
}

void attend_row(const AttentionJob& job, const KvView& kv, int64_t row, int64_t kv_head, DecodeScratch& s) {
  load_row(job, kv, row, kv_head, s);
  s.total.clear(job.group());
  const int64_t parts = count_parts(job, kv, row);
  for (int64_t part = kv.kept ? 0 : 1; part < parts; ++part) {
    attend_part(job, kv, row, kv_head, part, s, s.part);
    s.total.merge(s.part, job.group());
  }
  finish_group(job, kv, row, kv_head, s.total, 0);
}

}  // namespace skald
