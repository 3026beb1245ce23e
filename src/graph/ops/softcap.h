// softcap: c * tanh(x / c), a smooth limit; Gemma 2, arXiv 2408.00118.
#pragma once

#include <string>

#include "graph/graph.h"

namespace skald {

struct Softcap {
  float cap = 0;  // c > 0
  std::string describe() const;
  friend bool operator==(const Softcap&, const Softcap&) = default;
};

extern const OpDef op_softcap;

Tensor softcap(Tensor x, float cap);

}  // namespace skald
