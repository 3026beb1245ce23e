// head_columns: some columns of each head; x (rows, heads * d) -> (rows, heads * n).
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct HeadColumns {
  int64_t heads = 1, first = 0, n = 0;
  std::string describe() const;
  friend bool operator==(const HeadColumns&, const HeadColumns&) = default;
};

extern const OpDef op_head_columns;

}  // namespace skald
