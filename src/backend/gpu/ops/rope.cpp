#include "backend/gpu/rope.h"

namespace skald {

namespace gpu {

RopeArgs rope_args(const Rope& a, const GpuOpArgs& io) {
  RopeArgs args{.rows = io.count, .x = matrix(io.in[0]), .out = matrix(io.out)};
  for (const TensorView& table : io.in.subspan(1)) args.tables[args.n_tables++] = matrix(table);
  args.heads = io.out.cols() / a.d_head;
  args.d_head = a.d_head;
  args.first = a.first;
  args.dims = io.in[1].cols();
  args.halves = a.pairs == RopePairs::kHalves;
  return args;
}

}  // namespace gpu

using namespace gpu;

static std::string refuse(const GpuKernels&, const Rope&, std::span<const ValueDesc> in) {
  if (std::ssize(in) - 1 <= RopeArgs::kMaxTables) return {};
  return fmt::format("no kernel rotates by {} tables", in.size() - 1);
}

static void record(const GpuContext& cx, const Rope& a, const GpuOpArgs& io) {
  cx.kernels.rope(cx.stream, rope_args(a, io), io.rows);
}

extern const GpuOp gpu_rope;
const GpuOp gpu_rope = implement_on_gpu<Rope, record, refuse>(op_rope);

}  // namespace skald
