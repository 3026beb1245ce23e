// Multi-head latent attention: keys and values of all heads come from one small vector per token.
// DeepSeek-V2, arXiv 2405.04434.
#pragma once

#include "base/meta.h"
#include "graph/net.h"

namespace skald {

struct MlaParams {
  int64_t n_heads;
  int64_t q_rank;           // of the queries' latent vector, 0: they have none
  int64_t kv_rank;          // of the keys' and values'
  int64_t d_plain, d_rope;  // of a head's queries and keys: without positions, and with them
  int64_t d_v;
  float eps, scale;
  RopeSpec rope;
  std::optional<LogTemperature> temperature;
};

/// Throws kNotFound or kBadFile naming the key.
MlaParams read_mla(Net& net, const MetaView& m);

/// h (tokens, d_model) -> as h. Weights attn_q, or attn_q_a, attn_q_a_norm and attn_q_b; attn_kv_a_mqa, attn_kv_a_norm;
/// attn_output. With attn_kv_b, keys and values are cached for each head; with attn_k_b and attn_v_b their latent vector is,
/// and heads meet it in its own space.
Tensor mla(Net& blk, Tensor h, const MlaParams& p);

}  // namespace skald
