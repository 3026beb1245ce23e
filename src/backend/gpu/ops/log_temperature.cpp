#include "graph/ops/log_temperature.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static void record(const GpuContext& cx, const LogTemperature& a, const GpuOpArgs& io) {
  LogTemperatureArgs args{.rows = io.count, .positions = io.in[0].as<int32_t>(), .out = matrix(io.out)};
  args.first = a.first;
  args.length = a.length;
  args.scale = a.scale;
  cx.kernels.log_temperature(cx.stream, args, io.rows);
}

extern const GpuOp gpu_log_temperature;
const GpuOp gpu_log_temperature = implement_on_gpu<LogTemperature, record>(op_log_temperature);

}  // namespace skald
