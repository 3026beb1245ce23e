#include "graph/ops/rope_table.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

using namespace gpu;

static std::vector<std::byte> constants(const RopeTable& a) {
  std::vector<double> frequencies(static_cast<size_t>(a.dims / 2));
  a.frequencies(frequencies);
  return bytes_of(frequencies);
}

static void record(const GpuContext& cx, const RopeTable& a, const GpuOpArgs& io) {
  cx.kernels.rope_table(cx.stream,
                        {.rows = io.count,
                         .positions = io.in[0].as<int32_t>(),
                         .frequencies = reinterpret_cast<const double*>(io.constants),
                         .divisors = io.in.size() == 2 ? io.in[1].as() : nullptr,
                         .pairs = a.dims / 2,
                         .magnitude = a.magnitude,
                         .out = matrix(io.out)},
                        io.rows);
}

extern const GpuOp gpu_rope_table;
const GpuOp gpu_rope_table = implement_on_gpu<RopeTable, record, nullptr, constants>(op_rope_table);

}  // namespace skald
