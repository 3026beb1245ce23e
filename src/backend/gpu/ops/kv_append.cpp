#include "backend/gpu/kv_append.h"

#include "base/error.h"
#include "kernels/gpu/kv_append.h"
#include "kernels/gpu/sparq.h"

namespace skald {

namespace gpu {

KvAppendArgs kv_append_args(const GpuContext& cx, const KvAppend& a, const GpuOpArgs& io) {
  KvAppendArgs args{.rows = cx.block.tokens(), .step = cx.block.rows(a.slot), .k = matrix(io.in[0]), .v = {}};
  args.heads = a.n_kv_heads;
  args.d_k = io.in[0].cols() / a.n_kv_heads;
  if (a.stored(io.in.size()) == 2) {
    args.v = matrix(io.in[1]);
    args.d_v = io.in[1].cols() / a.n_kv_heads;
  }
  return args;
}

void append_to_index(const GpuContext& cx, const KvAppend& a, const GpuOpArgs& io, const KvAppendArgs& stored) {
  const SequenceIndex& index = cx.block.cache(a.slot).index;
  const bool by_pages = index.kind != KeyIndex::kNone || index.places[0].bounds;
  if (by_pages && stored.d_k > kMaxSparseColumns)
    fail(Errc::kUnsupported, "the device has no kernel for an index of heads of {}: leave --sparq flags out", stored.d_k);
  if (!by_pages && !index.places[0].sums) return;
  IndexAppendArgs args{
      .rows = stored.rows, .step = stored.step, .d_k = stored.d_k, .d_v = stored.d_v, .heads = stored.heads};
  if (a.basis) args.basis = io.in.back().as();
  cx.kernels.index_append(cx.stream, args, io.in[0].rows());
}

}  // namespace gpu

using namespace gpu;

static std::string refuse(const GpuKernels&, const KvAppend& a, std::span<const ValueDesc> in) {
  for (const ValueDesc& x : in.first(a.stored(in.size())))
    if (const int64_t d = x.shape[1] / a.n_kv_heads; d > kMaxAppendedColumns)
      return fmt::format("no kernel stores heads of {}: at most {}", d, kMaxAppendedColumns);
  return {};
}

static void record(const GpuContext& cx, const KvAppend& a, const GpuOpArgs& io) {
  const KvAppendArgs args = kv_append_args(cx, a, io);
  cx.kernels.kv_append(cx.stream, args, io.in[0].rows());
  append_to_index(cx, a, io, args);
}

extern const GpuOp gpu_kv_append;
const GpuOp gpu_kv_append = implement_on_gpu<KvAppend, record, refuse>(op_kv_append);

}  // namespace skald
