// columns: some columns of x, without a copy; x (rows, k) f32 -> (rows, n).
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct Columns {
  int64_t first = 0, n = 0;
  std::string describe() const;
  friend bool operator==(const Columns&, const Columns&) = default;
};

extern const OpDef op_columns;

}  // namespace skald
