#include "graph/ops/window_attention.h"

#include "backend/cpu/attention/prefill.h"
#include "backend/cpu/cpu_op.h"
#include "base/error.h"

namespace skald {
namespace {

/// The operands by name.
struct Inputs {
  Inputs(const Attention& a, std::span<const TensorView> in)
      : q(in[0]), keys(in[1]), values(in[2]), positions(in[3].as<const int32_t>()) {
    if (keys.desc.format == &format_i8) {
      key_scale = *in[4].as();
      value_scale = *in[5].as();
    }
    if (a.sink_logits) sink_logits = in.back().as();
  }
  const TensorView &q, &keys, &values;
  const int32_t* positions;
  float key_scale = 1, value_scale = 1;
  const float* sink_logits = nullptr;
};

// Pages that hold this many consecutive keys, wherever in a page the first one is.
int64_t max_pages(int64_t rows) { return ceil_div(rows, kPageKeys) + 1; }

/// Scratch of one call: page tables and slopes, then each thread's own.
struct Plan {
  Plan(const AttentionJob& job, int64_t rows, int n_threads, std::byte* base) : scratch(base) {
    k_pages = scratch.take<std::byte*>(max_pages(rows));
    v_pages = scratch.take<std::byte*>(max_pages(rows));
    slopes = scratch.take(job.a.n_heads);
    Scratch block(nullptr);
    PrefillScratch(job, block);
    per_thread = block.used();
    threads = scratch.take<std::byte>(per_thread * n_threads);
  }
  Scratch scratch;
  std::byte **k_pages, **v_pages;
  float* slopes;
  int64_t per_thread;
  std::byte* threads;
};

int64_t plan(const Attention& a, const CpuPlanArgs& args) {
  if (const Format& f = *args.in[1].format; !args.kernels.unpack_key_rows[f.id])
    fail(Errc::kUnsupported, "no kernel reads keys of {}", f.name);
  return Plan({.kernels = args.kernels, .a = a}, args.in[1].shape[1], args.n_threads, nullptr).scratch.used();
}

// The rows of a window as pages. These begin where those of the paged cache do, at positions, so that sums run in the same
// order and the result is the same, bit for bit. Rows before the window are not there: the view begins after them.
KvView view_of(const Inputs& in, const Plan& plan, int64_t last_position, bool decode) {
  const int64_t rows = in.keys.shape()[1], first = last_position - (rows - 1), begin = std::max<int64_t>(first, 0);
  KvView kv{.pages = plan.k_pages, .v_pages = plan.v_pages};
  kv.decode = decode;
  kv.shift = begin - begin % kPageKeys;
  kv.begin = begin - kv.shift;
  kv.k_stride = in.keys.desc.row_bytes();
  kv.v_stride = in.values.desc.row_bytes();
  kv.k_head_stride = in.keys.slice(1) - in.keys.slice(0);
  kv.v_head_stride = in.values.slice(1) - in.values.slice(0);
  kv.k_format = in.keys.desc.format->id;
  kv.v_format = in.values.desc.format->id;
  for (int64_t page = 0; page < max_pages(rows); ++page) {
    const int64_t row = page * kPageKeys + kv.shift - first;
    plan.k_pages[page] = in.keys.data + row * kv.k_stride;
    plan.v_pages[page] = in.values.data + row * kv.v_stride;
  }
  return kv;
}

// Data quantised with one scale needs it once: for keys in the queries, for values in the results.
Attention scaled(Attention a, float key_scale) {
  a.scale *= key_scale;
  return a;
}

void scale_results(const AttentionJob& job, int64_t row, int64_t rows, int64_t kv_head, float factor) {
  for (int64_t r = row; r < row + rows; ++r) {
    float* out = job.out.at(r, kv_head * job.group());
    for (int64_t i = 0; i < job.group() * job.a.d_v; ++i) out[i] *= factor;
  }
}

void run(CpuContext& cx, const Attention& attention, const OpArgs& io) {
  const Inputs in(attention, io.in);
  const Attention a = scaled(attention, in.key_scale);
  AttentionJob job{.kernels = cx.kernels, .a = a};
  const Plan plan(job, in.keys.shape()[1], cx.pool.size(), cx.scratch);
  job.q = {in.q.as(), in.q.row_step(), a.d_k};
  job.out = {io.out.as(), io.out.row_step(), a.d_v};
  job.sink_logits = in.sink_logits;
  job.positions = in.positions;
  job.slopes = a.slopes(plan.slopes);
  const int64_t rows = io.out.rows();
  const KvView kv = view_of(in, plan, in.positions[rows - 1], cx.step->decode);
  const int64_t block = block_rows(job, kv, rows), blocks = ceil_div(rows, block);
  cx.pool.dynamic(blocks * a.n_kv_heads, [&](int64_t task, int thread) {
    const int64_t row = task / a.n_kv_heads * block, head = task % a.n_kv_heads, n = std::min(block, rows - row);
    Scratch scratch(plan.threads + thread * plan.per_thread);
    PrefillScratch s(job, scratch);
    attend_block(job, kv, {row, n, head}, s);
    if (kv.v_format == format_i8.id) scale_results(job, row, n, head, in.value_scale);
  });
}

}  // namespace

extern const CpuOp cpu_window_attention;
const CpuOp cpu_window_attention = implement<Attention, run, plan>(op_window_attention);

}  // namespace skald
