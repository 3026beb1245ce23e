#include "graph/ops/distance_bias.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

// Each distance's bucket: some depend on how the host rounds a logarithm.
static std::vector<std::byte> constants(const DistanceBias& a, std::span<const ValueDesc> in) {
  std::vector<int32_t> buckets;
  for (int64_t distance = -a.reach; distance <= a.reach; ++distance)
    buckets.push_back(static_cast<int32_t>(DistanceBias::bucket(distance, in[0].shape[0], a.reach)));
  return bytes_of(buckets);
}

static void record(const GpuContext& cx, const DistanceBias&, const GpuOpArgs& io) {
  DistanceBiasArgs args{.table = matrix(io.in[0]), .out = matrix(io.out)};
  args.buckets = reinterpret_cast<const int32_t*>(io.constants);
  args.heads = io.out.rows();
  args.distances = io.out.cols();
  cx.kernels.distance_bias(cx.stream, args, io.rows);
}

static constexpr GpuOp with_fixed_rows(GpuOp op) {
  op.fixed_rows = true;
  return op;
}

extern const GpuOp gpu_distance_bias;
const GpuOp gpu_distance_bias =
    with_fixed_rows(implement_on_gpu<DistanceBias, record, nullptr, constants>(op_distance_bias));

}  // namespace skald
