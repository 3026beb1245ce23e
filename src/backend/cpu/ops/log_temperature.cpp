#include "graph/ops/log_temperature.h"

#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static void run(CpuContext& cx, const LogTemperature& a, const OpArgs& io) {
  const int32_t* positions = io.in[0].as<int32_t>();
  for_rows(cx, io.out.rows(), 1, [&](int64_t r) {
    const int64_t lengths = (positions[r] + a.first) / a.length;  // whole ones
    *io.out.row(r) = 1 + a.scale * std::log(static_cast<float>(lengths) + 1);
  });
}

extern const CpuOp cpu_log_temperature;
const CpuOp cpu_log_temperature = implement<LogTemperature, run>(op_log_temperature);

}  // namespace skald
