#include "graph/ops/columns.h"

#include "backend/cpu/cpu_op.h"

namespace skald {

static void run(CpuContext&, const Columns&, const OpArgs&) {}  // the view is all

extern const CpuOp cpu_columns;
const CpuOp cpu_columns = implement<Columns, run>(op_columns);

}  // namespace skald
