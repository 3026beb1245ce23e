// ResidualNorms: how large the residual stream is where each attention adds to it.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/step_observer.h"

namespace skald {

/// Sees steps. An attention's results come to the stream by the first sum of two values that follows.
class ResidualNorms : public StepObserver {
 public:
  explicit ResidualNorms(size_t slots) : squares_(slots) {}

  void before(const Graph& graph, const Node& node, std::span<const TensorView> in) override;
  /// (slots): the sum of |x|^2 over the steps' rows; 0 where no sum was seen.
  const std::vector<double>& squares() const { return squares_; }

 private:
  std::vector<double> squares_;
  int64_t slot_ = -1;  // whose sum is awaited
};

}  // namespace skald
