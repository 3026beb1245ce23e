// WeightSlice: the part of a model's weight that one of several ranks has, which has a name of its own in its graphs.
#pragma once

#include <string>
#include <vector>

#include "graph/cut.h"
#include "tensor/tensor.h"

namespace skald {

struct WeightSlice {
  std::string of;  // the whole weight
  TensorDesc whole;
  std::vector<Slices> parts;  // of each dimension; empty ones: all of it

  /// The slice as a tensor.
  TensorDesc desc() const;
  /// "blk.0.ffn_down.weight[0+64][0+128,512+128]"
  std::string name() const;
  /// The pieces of the whole weight's bytes that it has, one after the other. A part of the last dimension has whole blocks.
  std::vector<Slice> pieces() const;
};

}  // namespace skald
