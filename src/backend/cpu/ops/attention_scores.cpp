#include "graph/ops/attention_scores.h"

#include "backend/cpu/attention/pages.h"
#include "backend/cpu/attention/queries.h"
#include "backend/cpu/attention/rows.h"
#include "backend/cpu/ops/rowwise.h"

namespace skald {
namespace {

struct Queries {
  Queries(const AttentionJob& job, Scratch& scratch)
      : q(scratch.take(job.group() * job.q_stride())),
        codes(scratch.take<std::byte>(query_codes_bytes(job))),
        page(scratch.take(job.group() * kPageKeys)) {}
  float* q;
  std::byte* codes;
  float* page;  // (group, kPageKeys): a page by dimensions is scored whole, the keys that are not asked for too
};

// The scale is applied with the mask.
Attention unscaled(Attention a) {
  a.scale = 1;
  return a;
}

int64_t thread_scratch(const AttentionJob& job) {
  Scratch scratch(nullptr);
  Queries(job, scratch);
  return scratch.used();
}

int64_t plan(const Attention& a, const CpuPlanArgs& args) {
  return thread_scratch({.kernels = args.kernels, .a = a}) * args.n_threads;
}

// Scores of the slots [from, to), met by the queries of `heads`.
void score(const AttentionJob& job, const KvView& kv, const HeadsView& heads, int64_t row, int64_t kv_head, int64_t from,
           int64_t to, const Queries& s, float* out) {
  if (from >= to) return;
  load_queries(job, kv, heads, row, kv_head, s.q);
  quantize_queries(job, kv, s.q, s.codes);
  for (int64_t slot = from; slot < to;) {
    const int64_t page = slot - slot % kPageKeys, end = std::min(to, page + kPageKeys);
    score_page(job, kv, kv_head, slot, end, {s.q, s.codes, job.group(), job.own_page(kv, row)},
               {kv.k_page(kv_head, end - 1), 0}, s.page, kPageKeys);
    for (int64_t g = 0; g < job.group(); ++g)
      std::copy(s.page + g * kPageKeys + slot - page, s.page + g * kPageKeys + end - page,
                out + g * attention_slots(job.a) + slot);
    slot = end;
  }
}

void run(CpuContext& cx, const Attention& attention, const OpArgs& io) {
  const Attention a = unscaled(attention);
  AttentionJob job{.kernels = cx.kernels, .a = a};
  job.positions = cx.step->positions;
  job.rows = rows_of(a, io);
  const HeadsView q{io.in[0].as(), io.in[0].row_step(), a.d_k};
  const HeadsView q_kept = a.kept_queries ? HeadsView{io.in[2].as(), io.in[2].row_step(), a.d_k} : q;
  const int64_t scratch_bytes = thread_scratch(job);
  cx.pool.dynamic(io.out.rows() * a.n_kv_heads, [&](int64_t task, int thread) {
    const int64_t row = task / a.n_kv_heads, head = task % a.n_kv_heads;
    const KvView& kv = cx.step->kv.of_row(a.slot, job.step_row(row));
    const SlotRange range = visible(job, kv, row);
    Scratch scratch(cx.scratch + thread * scratch_bytes);
    const Queries s(job, scratch);
    float* out = io.out.row(row) + head * job.group() * attention_slots(a);
    score(job, kv, q, row, head, range.begin, range.end, s, out);
    score(job, kv, q_kept, row, head, 0, std::min(kv.kept, range.end), s, out);
  });
}

}  // namespace

extern const CpuOp cpu_attention_scores;
const CpuOp cpu_attention_scores = implement<Attention, run, plan>(op_attention_scores);

}  // namespace skald
