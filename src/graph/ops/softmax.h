// softmax: of each of the equal parts of a row.
// Inputs: x (rows, parts * n) [, a logit per part (parts) that takes weight and is left out] -> as x.
#pragma once

#include "graph/graph.h"

namespace skald {

struct Softmax {
  int64_t parts = 1;
  friend bool operator==(const Softmax&, const Softmax&) = default;
};

extern const OpDef op_softmax;

Tensor softmax(Tensor x);  // of whole rows

}  // namespace skald
