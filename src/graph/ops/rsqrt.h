// rsqrt: 1 / sqrt(x + eps), element-wise.
#pragma once

#include "graph/graph.h"

namespace skald {

struct Rsqrt {
  float eps = 0;
  friend bool operator==(const Rsqrt&, const Rsqrt&) = default;
};

extern const OpDef op_rsqrt;

Tensor rsqrt(Tensor x, float eps);

}  // namespace skald
