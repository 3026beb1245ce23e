// Gated delta nets as Qwen has them: linear attention whose state forgets and corrects itself. Yang et al., arXiv
// 2412.06464.
#pragma once

#include "models/parts/hparams.h"

namespace skald {

struct DeltaNetParams {
  int64_t taps;                            // of the convolution
  int64_t key_heads, heads, d_k, d_inner;  // d_inner: of the values of all heads
  bool tiled;                              // as in DeltaNet
  float eps;                               // of the norms
};

/// Reads the keys ssm.*. Throws kNotFound or kBadFile naming the key.
DeltaNetParams read_delta_net(const MetaView& m, float eps, bool tiled);

/// Weights attn_qkv, attn_gate, ssm_conv1d, ssm_alpha and ssm_beta (or both in ssm_ba, key head by key head, beta first),
/// ssm_dt.bias, ssm_a, ssm_norm, ssm_out; h (tokens, d_model) -> as h.
Tensor delta_net(Net& blk, Tensor h, const DeltaNetParams& p);

/// Attention whose output is gated by the numbers that attn_q has for each head after its query, with norms on query and key
/// heads.
Tensor query_gated_attention(Net& blk, Tensor h, const DecoderParams& p, const RopeSpec& rope);

/// Layers with a delta net instead of attention: the key attention.recurrent_layers, else all but each
/// full_attention_interval-th (4 where there is no key).
std::vector<bool> read_recurrent_layers(const MetaView& m, int64_t n_layers);

}  // namespace skald
