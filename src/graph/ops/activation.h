// activation: an element-wise function of x.
#pragma once

#include <string>

#include "graph/graph.h"
#include "tensor/activation.h"

namespace skald {

/// Attributes of operations that apply a function.
struct Activate {
  Activation function = Activation::kSilu;
  std::string describe() const;
  friend bool operator==(const Activate&, const Activate&) = default;
};

extern const OpDef op_activation;  // of Activate

Tensor activation(Tensor x, Activation function);

}  // namespace skald
