// pick_rows: the rows of x that are needed further on; x (tokens, n), rows (outputs) i32 -> (outputs, n).
#pragma once

#include "graph/op.h"

namespace skald {

extern const OpDef op_pick_rows;

}  // namespace skald
