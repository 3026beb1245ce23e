// delta_net: the gated delta rule, arXiv 2412.06464. For each value head, with a state S (d_k, d_v), q and k of length 1,
// and q over sqrt(d_k): S = exp(g a) S; S += k (beta (v - S^T k))^T; y = S^T q. Keeps S of all heads of each sequence in a
// recurrent slot, (heads, d_k, d_v). Inputs: q and k (tokens, key heads * d_k), v (tokens, heads * d_v), g (tokens, heads),
// or for each row of S (tokens, heads * d_k; Kimi Delta Attention, arXiv 2510.26692), beta (tokens, heads), a (heads)
// -> as v.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct DeltaNet {
  int32_t slot = 0;
  int64_t heads = 0, key_heads = 0;  // key_heads divides heads
  bool tiled = false;                // value head j goes with key head j mod key_heads; else neighbours share one
  float eps = 1e-6f;                 // added to the squares of a key or query
  std::string describe() const;
  friend bool operator==(const DeltaNet&, const DeltaNet&) = default;
};

extern const OpDef op_delta_net;

}  // namespace skald
