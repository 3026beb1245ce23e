// embed: the rows of a table that token ids, or positions, name; ids (tokens) i32, table (n, d) in any format -> (tokens, d)
// f32.
#pragma once

#include "graph/op.h"

namespace skald {

extern const OpDef op_embed;

}  // namespace skald
