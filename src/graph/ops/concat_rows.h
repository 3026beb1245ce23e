// concat_rows: the rows of each head of one value after those of another.
// Inputs: past (heads, n, d), fresh (heads, m, d) -> (heads, n + m, d), which is no copy: the caller that binds the two puts
// the fresh rows of a head directly after its past ones.
#pragma once

#include "graph/op.h"

namespace skald {

extern const OpDef op_concat_rows;

}  // namespace skald
