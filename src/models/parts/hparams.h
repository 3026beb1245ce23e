// Hyperparameters that decoder families share, read from metadata once and checked.
#pragma once

#include "base/meta.h"
#include "graph/net.h"

namespace skald {

struct DecoderParams {
  int64_t n_layers, d_model, d_ff;
  int64_t n_heads, n_kv_heads, d_k, d_v;
  float eps;       // of the RMS norms
  int64_t window;  // sliding window, 0: none
};

/// Throws kNotFound or kBadFile naming the key.
DecoderParams read_decoder(const MetaView& m);

/// The rotary embedding that rope.* keys and rope_freqs.weight describe, for heads of `d_k`.
RopeSpec read_rope(const Net& net, const MetaView& m, int64_t d_k, RopePairs pairs);

/// Grouped-query attention with the usual 1/sqrt(d_k).
Attention attention_of(const DecoderParams& p);

}  // namespace skald
