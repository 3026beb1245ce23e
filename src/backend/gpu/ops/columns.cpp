// Columns of a value are a view of it.
#include "graph/ops/columns.h"

#include "backend/gpu/gpu_op.h"

namespace skald {

extern const GpuOp gpu_columns;
const GpuOp gpu_columns = {.op = &op_columns, .record = nullptr, .refuse = nullptr, .constants = nullptr};

}  // namespace skald
