// skald/ops.h: attention on plain memory, by the engine's own operation. Its cache is the caller's memory: pages are
// pointers into it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/cpu_op.h"
#include "backend/sparq_reads.h"
#include "base/cpu_features.h"
#include "base/error.h"
#include "base/thread_pool.h"
#include "graph/ops/attention.h"
#include "kernels/api/kernel_table.h"
#include "kernels/api/kv_view.h"
#include "kernels/api/tier.h"
#include "quant/registry.h"
#include "skald/ops.h"
#include "tensor/buffer.h"

namespace skald {
namespace {

constexpr int64_t kMostD = 4096, kMostRows = int64_t{1} << 30;

const Format& type_of(const HeadRows& rows, const char* name) {
  const Format* format = find_format(rows.type);
  if (!format || (rows.type != "f32" && rows.type != "f16" && rows.type != "bf16"))
    fail(Errc::kBadInput, "{}: want numbers of type f32, f16 or bf16, not {}", name, rows.type);
  return *format;
}

void check_rows(const HeadRows& rows, const char* name) {
  const Format& format = type_of(rows, name);
  if (rows.heads < 1 || rows.rows < 1 || rows.d < 1)
    fail(Errc::kBadInput, "{}: want at least one head, row and number", name);
  if (rows.d > kMostD || rows.rows > kMostRows)
    fail(Errc::kBadInput, "{}: {} rows of {} numbers are more than {} of {}", name, rows.rows, rows.d, kMostRows, kMostD);
  if (rows.row_stride < format.bytes(rows.d))
    fail(Errc::kBadInput, "{}: rows of {} numbers are {} bytes apart", name, rows.d, rows.row_stride);
}

void check(int64_t n_heads, const HeadRows& k, const HeadRows& v, const AttendOptions& o) {
  check_rows(k, "keys");
  check_rows(v, "values");
  if (k.heads != v.heads || k.rows != v.rows)
    fail(Errc::kBadInput, "keys of {} heads and {} rows do not go with values of {} and {}", k.heads, k.rows, v.heads,
         v.rows);
  if (n_heads < 1 || n_heads % k.heads)
    fail(Errc::kBadInput, "{} query heads do not share {} KV heads evenly", n_heads, k.heads);
  if (!std::isfinite(o.scale)) fail(Errc::kBadInput, "scale: want a number");
  if (o.n_threads < 0) fail(Errc::kBadInput, "n_threads: want 0 or more");
  o.sparq.check();
  if (o.sparq.loss > 0) fail(Errc::kBadInput, "sparq.loss: a single call measures no loss; want k1 and k2, or ratio");
  if (o.sparq.on() && o.sparq.selector != KeySelection::kSparq)
    fail(Errc::kBadInput, "sparq.selector: plain memory has no bounds of pages; want sparq");
  if (o.sparq.mean.value_or(false)) fail(Errc::kBadInput, "sparq.mean: plain memory has no sums of values");
}

// Addresses of the pages that rows are cut into. Heads have them in common.
std::vector<std::byte*> pages_of(const HeadRows& rows) {
  std::vector<std::byte*> out;
  auto* const data = static_cast<std::byte*>(const_cast<void*>(rows.data));  // which no kernel of attention writes
  for (int64_t i = 0; i < rows.rows; i += kPageKeys) out.push_back(data + i * rows.row_stride);
  return out;
}

TensorView row_view(const float* data, int64_t n) {
  return {reinterpret_cast<std::byte*>(const_cast<float*>(data)), {&format_f32, Shape{1, n}}};
}

}  // namespace

AttendUse attend(const float* q, int64_t n_heads, const HeadRows& keys, const HeadRows& values, float* out,
                 const AttendOptions& options) {
  check(n_heads, keys, values, options);
  const bool sparse = options.sparq.on();
  const Attention a{.n_heads = n_heads,
                    .n_kv_heads = keys.heads,
                    .d_k = keys.d,
                    .d_v = values.d,
                    .scale = options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<float>(keys.d)),
                    .sparse = sparse,
                    .max_keys = keys.rows};
  const Format &k_type = type_of(keys, "keys"), &v_type = type_of(values, "values");
  const std::vector<std::byte*> k_pages = pages_of(keys), v_pages = pages_of(values);
  const KvView view{.pages = k_pages.data(),
                    .v_pages = v_pages.data(),
                    .k_head_stride = keys.head_stride,
                    .v_head_stride = values.head_stride,
                    .k_stride = keys.row_stride,
                    .v_stride = values.row_stride,
                    .k_format = k_type.id,
                    .v_format = v_type.id,
                    .decode = true};
  const SparqPolicy policy{.params = &options.sparq};
  const auto position = static_cast<int32_t>(keys.rows - 1);
  const int32_t sequence = 0;
  SparqReads reads;
  const StepArgs step{.positions = &position,
                      .kv = {&view, nullptr, /*n_seqs=*/1, &sequence, sparse ? &policy : nullptr},
                      .sparq_reads = &reads,
                      .stats = {.sequences = {}}};
  static const KernelTable kernels = build_kernel_table(isa_from_environment());
  ThreadPool pool(options.n_threads ? options.n_threads : usable_cpus());
  const CpuOp& op = **std::ranges::find(cpu_ops(), &op_attention, &CpuOp::op);
  const std::vector<TensorView> in = {row_view(q, n_heads * keys.d), row_view(q, n_heads * keys.d)};
  std::vector<ValueDesc> descs;
  for (const TensorView& t : in) descs.push_back({t.desc.format, t.desc.shape, Rows::kTokens});
  Buffer scratch(op.plan(Attrs(a), {kernels, pool.size(), descs, in}));
  CpuContext cx{pool, kernels, &step, scratch.data()};
  const ScopedFlushDenormals flush;
  op.run(cx, Attrs(a), {in, row_view(out, n_heads * values.d)});
  const int64_t all = keys.rows * keys.heads * (k_type.bytes(keys.d) + v_type.bytes(values.d));
  return reads.dense ? AttendUse{reads.read, reads.dense} : AttendUse{all, all};
}

}  // namespace skald
