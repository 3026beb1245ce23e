// mean: the mean of each row, or of each of its equal parts; (rows, n) -> (rows, parts).
#pragma once

#include "graph/graph.h"

namespace skald {

struct Mean {
  int64_t parts = 1;
  friend bool operator==(const Mean&, const Mean&) = default;
};

extern const OpDef op_mean;

Tensor mean(Tensor x, int64_t parts = 1);

}  // namespace skald
