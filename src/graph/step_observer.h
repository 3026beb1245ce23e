// StepObserver: something that looks at what a step's operations get, without taking part in the computation.
#pragma once

#include <span>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace skald {

class StepObserver {
 public:
  virtual ~StepObserver() = default;
  /// Called before each operation, in order, by the thread that runs the step. `in` is as node.inputs says, with the step's
  /// actual rows; it is valid during the call. Weights may lie in panels (TensorView::packed).
  virtual void before(const Graph& graph, const Node& node, std::span<const TensorView> in) = 0;
};

}  // namespace skald
