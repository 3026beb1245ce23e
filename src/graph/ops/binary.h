// Element-wise operations of two values: a (.., n) with b of the same shape, a row vector (m) that is repeated along the
// rows, or columns (.., m) each of which goes with n / m neighbours; m divides n.
#pragma once

#include "graph/op.h"

namespace skald {

extern const OpDef op_add;  // a + b
extern const OpDef op_mul;  // a * b

}  // namespace skald
