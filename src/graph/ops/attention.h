// attention: softmax(scale * q k^T) v over a layer's cache, causal, grouped-query; Vaswani et al., arXiv 1706.03762;
// Ainslie et al., arXiv 2305.13245.
// Inputs: q (tokens, n_heads * d_k), the layer's kv_append -> (tokens, n_heads * d_v).
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct Attention {
  int64_t n_heads = 0, n_kv_heads = 0;
  int64_t d_k = 0, d_v = 0;  // per head
  float scale = 0;
  int64_t window = 0;  // a query sees the last `window` keys, itself included; 0: all
  int32_t layer = 0;   // set by Net::attention
  std::string describe() const;
  friend bool operator==(const Attention&, const Attention&) = default;
};

extern const OpDef op_attention;

}  // namespace skald
