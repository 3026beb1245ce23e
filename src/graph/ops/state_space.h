// state_space: Mamba 2's scan, arXiv 2405.21060. For each head, with a state H (state, d) and the head's group's B and C:
// H = exp(dt A) H + B (dt x)^T, y = C^T H + D x. Keeps H of all heads of each sequence in a recurrent slot, (heads, state,
// d). Inputs: x (tokens, heads * d), B and C (tokens, groups * state), dt (tokens, heads), A (heads), D (heads) -> as x.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct StateSpace {
  int32_t slot = 0;
  int64_t heads = 0, groups = 0;  // neighbouring heads share a group
  std::string describe() const;
  friend bool operator==(const StateSpace&, const StateSpace&) = default;
};

extern const OpDef op_state_space;

}  // namespace skald
