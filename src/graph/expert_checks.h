// Checks of weights that hold a matrix for each expert.
#pragma once

#include "graph/checks.h"

namespace skald {

/// (experts, n, k)
inline void want_expert_weight(const ValueDesc& d, int64_t k) {
  if (d.shape.rank() != 3) fail(Errc::kBadInput, "weight: want (experts, n, k), got {}", d.shape.to_string());
  want_cols(d, k, "weight");
}

/// (experts, n) of a weight (experts, n, k).
inline void want_expert_bias(const ValueDesc& d, const ValueDesc& weight) {
  if (const Shape want{weight.shape[0], weight.shape[1]}; d.shape != want || d.format != &format_f32)
    fail(Errc::kBadInput, "bias: want f32 {}, got {} {}", want.to_string(), d.format->name, d.shape.to_string());
}

}  // namespace skald
