// causal_conv: a convolution over time of each channel with itself: y[t] = sum over i of w[i] x[t - taps + 1 + i], maybe
// followed by SiLU. Keeps the last taps - 1 rows of x of each sequence in a recurrent slot, (taps - 1, n). Inputs: x
// (tokens, n), w (n, taps), maybe bias (n) -> as x.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct CausalConv {
  int32_t slot = 0;
  int32_t taps = 0;
  bool silu = false;
  std::string describe() const;
  friend bool operator==(const CausalConv&, const CausalConv&) = default;
};

extern const OpDef op_causal_conv;

}  // namespace skald
