#include "graph/ops/add.h"

#include "graph/ops/broadcast.h"

namespace skald {

const OpDef op_add = define_op<NoAttrs, infer_broadcast>("add", {.in_place = true, .by_rows = true});

}  // namespace skald
