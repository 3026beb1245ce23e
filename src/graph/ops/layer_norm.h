// layer_norm: (x - mean(x)) / sqrt(variance(x) + eps) * weight + bias over each row, or over each of the equal parts of a
// row (heads); x (rows, n), weight and bias (n / parts) for every part or (n). Ba et al., arXiv 1607.06450. Inputs: x,
// weight [, bias] -> as x.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct LayerNorm {
  float eps = 1e-5f;
  int64_t parts = 1;
  std::string describe() const;
  friend bool operator==(const LayerNorm&, const LayerNorm&) = default;
};

extern const OpDef op_layer_norm;

}  // namespace skald
