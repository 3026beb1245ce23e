// What the operations of experts may have after their other inputs: biases, then what products are multiplied by.
#pragma once

#include <cstddef>
#include <span>

#include "graph/checks.h"
#include "tensor/tensor.h"

namespace skald {

/// Places of the first bias and the first scale; 0 where there are none. A bias is (experts, n), a scale (experts).
struct ExpertInputs {
  size_t bias = 0, scale = 0;
};

namespace expert_inputs_detail {

inline int rank_of(const ValueDesc& d) { return d.shape.rank(); }
inline int rank_of(const TensorView& t) { return t.shape().rank(); }

}  // namespace expert_inputs_detail

/// Of the inputs from `first` on; `each`: how many biases and how many scales there are, if any.
template <class Input>
ExpertInputs expert_inputs(std::span<const Input> in, size_t first, size_t each) {
  using expert_inputs_detail::rank_of;
  ExpertInputs at;
  if (in.size() > first && rank_of(in[first]) != 1) at.bias = first;
  if (in.size() > first && rank_of(in.back()) == 1) at.scale = in.size() - each;
  return at;
}

/// Throws kBadInput unless those inputs are as they should be for weights (experts, n, k).
inline void want_expert_inputs(std::span<const ValueDesc> in, size_t first, size_t each, const ValueDesc& weight) {
  const ExpertInputs at = expert_inputs(in, first, each);
  want_inputs(in, first + (at.bias ? each : 0) + (at.scale ? each : 0));
  for (size_t i = 0; i < each; ++i) {
    if (at.bias) want_biases(in[at.bias + i], weight);
    if (at.scale) want_expert_scales(in[at.scale + i], weight);
  }
}

}  // namespace skald
