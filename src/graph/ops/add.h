// add: a + b; b has a's shape, or broadcasts to it (broadcast.h).
#pragma once

#include "graph/op.h"

namespace skald {

extern const OpDef op_add;

}  // namespace skald
