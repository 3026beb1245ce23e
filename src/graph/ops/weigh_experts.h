// weigh_experts: how much each of a token's experts counts; scores (tokens, experts), ids (tokens, k) i32 -> (tokens, k).
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct WeighExperts {
  bool softmax = false;    // over the chosen ones' scores, else the scores themselves
  bool normalise = false;  // to a sum of 1
  float scale = 1.0f;      // and then times this

  std::string describe() const;
  friend bool operator==(const WeighExperts&, const WeighExperts&) = default;
};

extern const OpDef op_weigh_experts;

}  // namespace skald
