#include "graph/ops/mul.h"

#include "graph/ops/broadcast.h"

namespace skald {

const OpDef op_mul = define_op<NoAttrs, infer_broadcast>("mul", {.in_place = true, .by_rows = true});

}  // namespace skald
