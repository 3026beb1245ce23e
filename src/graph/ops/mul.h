// mul: a * b; b has a's shape, or is a row vector (n), or a column (rows, 1).
#pragma once

#include "graph/op.h"

namespace skald {

extern const OpDef op_mul;

}  // namespace skald
