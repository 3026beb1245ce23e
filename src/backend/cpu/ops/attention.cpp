#include "graph/ops/attention.h"

#include <algorithm>

#include "backend/cpu/ops/rowwise.h"
#include "base/checked.h"

namespace skald {
namespace {

int64_t thread_scratch(const Attention& a) {
  return round_up(attention_scratch(a.n_heads / a.n_kv_heads, kMaxPageKeys) * static_cast<int64_t>(sizeof(float)), 64);
}

int64_t plan(const Attention& a, const CpuPlanArgs& args) { return thread_scratch(a) * args.n_threads; }

// One task per row and KV head: enough for all threads even with one row, and each head's keys are read once per group.
void run(CpuContext& cx, const Attention& a, const OpArgs& io) {
  const int64_t group = a.n_heads / a.n_kv_heads;
  cx.pool.dynamic(io.out.rows() * a.n_kv_heads, [&](int64_t task, int thread) {
    const int64_t row = task / a.n_kv_heads, head = task % a.n_kv_heads;
    const KvView& kv = cx.step->kv.of_row(a.layer, row);
    const int64_t end = cx.step->positions[row] + 1;
    cx.kernels.attention[kv.k_format][kv.v_format](
        {.q = io.in[0].row(row) + head * group * a.d_k,
         .out = io.out.row(row) + head * group * a.d_v,
         .group = group,
         .d_k = a.d_k,
         .d_v = a.d_v,
         .kv = &kv,
         .kv_head = head,
         .first = a.window ? std::max<int64_t>(0, end - a.window) : 0,
         .end = end,
         .scale = a.scale,
         .scratch = reinterpret_cast<float*>(cx.scratch + thread * thread_scratch(a))});
  });
}

}  // namespace

extern const CpuOp cpu_attention;
const CpuOp cpu_attention = implement<Attention, run, plan>(op_attention);

}  // namespace skald
