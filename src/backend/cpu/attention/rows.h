// Which rows of the step an attention is about.
#pragma once

#include "backend/cpu/cpu_op.h"
#include "graph/ops/attention.h"

namespace skald {

/// Their numbers in the step, of operations with Attention's attributes; null: all of the step's.
inline const int32_t* rows_of(const Attention& a, const OpArgs& io) {
  return a.some_rows ? io.in[Attention::rows_input(io.in.size())].as<int32_t>() : nullptr;
}

}  // namespace skald
