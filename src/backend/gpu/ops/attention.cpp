#include "graph/ops/attention.h"

#include "backend/gpu/gpu_op.h"
#include "kernels/gpu/attention.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels&, const Attention& a, std::span<const ValueDesc>) {
  if (a.sparse || a.basis) return "no kernel reads few keys of a row: leave --sparq flags out";
  if (a.d_k > kMaxKeyColumns || a.d_v > kMaxValueColumns)
    return fmt::format("no kernel has heads of {} and {}: at most {} and {}", a.d_k, a.d_v, kMaxKeyColumns,
                       kMaxValueColumns);
  return {};
}

// ALiBi's slopes.
static std::vector<std::byte> constants(const Attention& a) {
  std::vector<float> slopes(static_cast<size_t>(a.n_heads));
  if (!a.slopes(slopes.data())) return {};
  return bytes_of(slopes);
}

static void record(const GpuContext& cx, const Attention& a, const GpuOpArgs& io) {
  AttentionArgs args{.rows = io.count, .step = cx.block.rows(a.slot)};
  args.q = matrix(io.in[0]);
  args.out = matrix(io.out);
  if (a.some_rows) args.numbers = io.in[Attention::rows_input(io.in.size())].as<int32_t>();
  if (a.kept_queries) args.q_kept = matrix(io.in[a.kept_input(io.in.size())]);
  if (a.sink_logits) args.sink_logits = io.in[2].as();
  if (a.alibi_max_bias > 0) args.slopes = reinterpret_cast<const float*>(io.constants);
  if (a.biases) {
    args.biases = io.in[a.biases_at()].as();
    args.reach = io.in[a.biases_at()].cols() / 2;
  }
  if (a.chosen) {
    const TensorView& places = io.in[a.chosen_input(io.in.size())];
    args.places = places.as<int32_t>();
    args.places_step = places.row_step<int32_t>();
    args.chosen = a.chosen;
  }
  args.heads = a.n_heads;
  args.group = a.n_heads / a.n_kv_heads;
  args.d_k = a.d_k;
  args.d_v = a.d_v;
  args.window = {a.window.size, a.window.chunk, a.window.around};
  args.scale = a.scale;
  args.softcap = a.softcap;
  cx.kernels.attention(cx.stream, args, io.rows);
}

extern const GpuOp gpu_attention;
const GpuOp gpu_attention = implement_on_gpu<Attention, record, refuse, constants>(op_attention);

}  // namespace skald
