// scale: x times a constant.
#pragma once

#include <string>

#include "graph/graph.h"

namespace skald {

struct ScaleBy {
  float factor = 1;
  std::string describe() const;
  friend bool operator==(const ScaleBy&, const ScaleBy&) = default;
};

extern const OpDef op_scale;

Tensor scale(Tensor x, float factor);

}  // namespace skald
