#include "graph/ops/distance_bias.h"

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext&, const DistanceBias& a, const OpArgs& io) {
  const int64_t buckets = io.in[0].shape()[0];
  for (int64_t distance = -a.reach; distance <= a.reach; ++distance) {
    const float* of_heads = io.in[0].row(DistanceBias::bucket(distance, buckets, a.reach));
    for (int64_t head = 0; head < io.out.rows(); ++head) io.out.row(head)[distance + a.reach] = of_heads[head];
  }
}

extern const CpuOp cpu_distance_bias;
const CpuOp cpu_distance_bias = implement<DistanceBias, run>(op_distance_bias);

}  // namespace skald
