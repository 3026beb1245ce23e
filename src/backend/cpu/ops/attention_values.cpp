#include "graph/ops/attention_values.h"

#include "backend/cpu/attention/pages.h"
#include "backend/cpu/attention/rows.h"
#include "backend/cpu/ops/rowwise.h"
#include "graph/ops/attention_scores.h"

namespace skald {
namespace {

int64_t thread_floats(const AttentionJob& job) { return round_up(job.group() * job.out_stride(), 16); }

int64_t plan(const Attention& a, const CpuPlanArgs& args) {
  return thread_floats({.kernels = args.kernels, .a = a}) * static_cast<int64_t>(sizeof(float)) * args.n_threads;
}

void add(const AttentionJob& job, const KvView& kv, int64_t kv_head, int64_t from, int64_t to, const float* weights,
         float* out) {
  for (int64_t slot = from; slot < to;) {
    const int64_t page = slot - slot % kPageKeys, end = std::min(to, page + kPageKeys);
    add_page_values(job, kv, kv_head, slot, end, job.group(), weights + page, attention_slots(job.a),
                    {kv.v_row(kv_head, end - 1), 0}, out);
    slot = end;
  }
}

void run(CpuContext& cx, const Attention& a, const OpArgs& io) {
  AttentionJob job{.kernels = cx.kernels, .a = a};
  job.positions = cx.step->positions;
  job.rows = rows_of(a, io);
  auto* scratch = reinterpret_cast<float*>(cx.scratch);
  cx.pool.dynamic(io.out.rows() * a.n_kv_heads, [&](int64_t task, int thread) {
    const int64_t row = task / a.n_kv_heads, head = task % a.n_kv_heads;
    const KvView& kv = cx.step->kv.of_row(a.slot, job.step_row(row));
    const SlotRange range = visible(job, kv, row);
    const float* weights = io.in[0].row(row) + head * job.group() * attention_slots(a);
    float* sums = scratch + thread * thread_floats(job);
    std::fill_n(sums, job.group() * job.out_stride(), 0.0f);
    add(job, kv, head, 0, std::min(kv.kept, range.end), weights, sums);
    add(job, kv, head, range.begin, range.end, weights, sums);
    const int64_t columns = job.value_columns(kv);
    for (int64_t g = 0; g < job.group(); ++g, sums += job.out_stride()) {
      if (kv.v_rotated) cx.kernels.hadamard(sums, columns, hadamard_block(columns));
      std::copy_n(sums, a.d_v, io.out.row(row) + (head * job.group() + g) * a.d_v);
    }
  });
}

}  // namespace

extern const CpuOp cpu_attention_values;
const CpuOp cpu_attention_values = implement<Attention, run, plan>(op_attention_values);

}  // namespace skald
