// ExpertLoad: how tokens spread over a layer's experts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace skald {

struct ExpertLoad {
  std::string name;             // of the node that chose: "blk.0.experts"
  std::vector<int64_t> tokens;  // of each expert, over all steps
  int64_t steps = 0;
  int64_t read = 0;  // experts that a step's tokens went to, added up over the steps

  /// Another step's ids (tokens, k), each below tokens.size(); the number of different ones.
  int64_t add(const TensorView& ids);
};

}  // namespace skald
