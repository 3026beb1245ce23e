// Hyperparameters that decoder families share, read from metadata once and checked.
#pragma once

#include "base/meta.h"
#include "graph/net.h"

namespace skald {

/// The key of the norms' epsilon, which says which norm a family has.
inline constexpr std::string_view kRmsNormEps = "attention.layer_norm_rms_epsilon";
inline constexpr std::string_view kLayerNormEps = "attention.layer_norm_epsilon";

struct DecoderParams {
  int64_t n_layers, d_model, d_ff;
  int64_t n_heads, n_kv_heads, d_k, d_v;
  float eps;       // of the norms
  int64_t window;  // sliding window, 0: none
};

/// Throws kNotFound or kBadFile naming the key.
DecoderParams read_decoder(const MetaView& m, std::string_view eps_key = kRmsNormEps);

/// A factor, cap or the like. Throws kBadFile naming the key unless it is a positive number.
float read_positive(const MetaView& m, std::string_view key, float fallback);

/// The key "activation": relu, gelu (by the error function) or gelu_tanh; `usual` where there is none. llama.cpp has no such
/// key.
Activation read_activation(const MetaView& m, Activation usual);

/// The rotary embedding that the rope.* keys and rope_* tensors describe, for heads of `d_k`.
RopeSpec read_rope(Net& net, const MetaView& m, int64_t d_k, RopePairs pairs);

/// Grouped-query attention with the usual 1/sqrt(d_k).
Attention attention_of(const DecoderParams& p);

}  // namespace skald
