#include "graph/ops/kv_append.h"

#include "backend/gpu/gpu_op.h"
#include "base/error.h"
#include "kernels/gpu/kv_append.h"
#include "kernels/gpu/sparq.h"

namespace skald {

using namespace gpu;

static std::string refuse(const GpuKernels&, const KvAppend& a, std::span<const ValueDesc> in) {
  for (const ValueDesc& x : in.first(a.stored(in.size())))
    if (const int64_t d = x.shape[1] / a.n_kv_heads; d > kMaxAppendedColumns)
      return fmt::format("no kernel stores heads of {}: at most {}", d, kMaxAppendedColumns);
  return {};
}

static void record(const GpuContext& cx, const KvAppend& a, const GpuOpArgs& io) {
  const bool values = a.stored(io.in.size()) == 2;
  KvAppendArgs args{.rows = cx.block.tokens(), .step = cx.block.rows(a.slot), .k = matrix(io.in[0]), .v = {}};
  args.heads = a.n_kv_heads;
  args.d_k = io.in[0].cols() / a.n_kv_heads;
  if (values) {
    args.v = matrix(io.in[1]);
    args.d_v = io.in[1].cols() / a.n_kv_heads;
  }
  cx.kernels.kv_append(cx.stream, args, io.in[0].rows());
  const SequenceIndex& index = cx.block.cache(a.slot).index;
  const bool by_pages = index.kind != KeyIndex::kNone || index.places[0].bounds;
  if (by_pages && args.d_k > kMaxSparseColumns)
    fail(Errc::kUnsupported, "the device has no kernel for an index of heads of {}: leave --sparq flags out", args.d_k);
  if (by_pages || index.places[0].sums)
    cx.kernels.index_append(cx.stream,
                            {args.rows, args.step, args.d_k, args.d_v, args.heads, a.basis ? io.in.back().as() : nullptr},
                            io.in[0].rows());
}

extern const GpuOp gpu_kv_append;
const GpuOp gpu_kv_append = implement_on_gpu<KvAppend, record, refuse>(op_kv_append);

}  // namespace skald
