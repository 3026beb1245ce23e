// clamp: x, but not beyond a limit on either side of 0.
#pragma once

#include <string>

#include "graph/graph.h"

namespace skald {

struct Clamp {
  float limit = 0;  // > 0
  std::string describe() const;
  friend bool operator==(const Clamp&, const Clamp&) = default;
};

extern const OpDef op_clamp;

Tensor clamp(Tensor x, float limit);

}  // namespace skald
