#include "graph/ops/rope_table.h"

#include <cmath>

#include "backend/cpu/ops/rowwise.h"

namespace skald {

static int64_t plan(const RopeTable& a, const CpuPlanArgs&) { return a.dims / 2 * static_cast<int64_t>(sizeof(double)); }

// Angles in double: at position 100,000 a float angle is off by hundredths of a radian.
static void run(CpuContext& cx, const RopeTable& a, const OpArgs& io) {
  const int64_t pairs = a.dims / 2;
  auto* frequencies = reinterpret_cast<double*>(cx.scratch);
  a.frequencies({frequencies, static_cast<size_t>(pairs)});
  if (io.in.size() == 2)
    for (int64_t i = 0; i < pairs; ++i) frequencies[i] /= static_cast<double>(io.in[1].as()[i]);
  const int32_t* positions = io.in[0].as<int32_t>();
  for_rows(cx, io.out.rows(), pairs * 64, [&](int64_t r) {
    float* row = io.out.row(r);
    for (int64_t i = 0; i < pairs; ++i) {
      const double angle = positions[r] * frequencies[i];
      row[i] = static_cast<float>(std::cos(angle)) * a.magnitude;
      row[i + pairs] = static_cast<float>(std::sin(angle)) * a.magnitude;
    }
  });
}

extern const CpuOp cpu_rope_table;
const CpuOp cpu_rope_table = implement<RopeTable, run, plan>(op_rope_table);

}  // namespace skald
