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
  std::optional<RopeSpec> rope;
  std::optional<LogTemperature> temperature;
  int64_t most_keys = 0;  // > 0: rows attend to this many at most, which an indexer chooses
};

/// `layer`: one that has latent attention. Throws kNotFound or kBadFile naming the key.
MlaParams read_mla(Net& net, const MetaView& m, int64_t layer = 0);

/// Builds the queries' latent vector (tokens, q_rank), or h where they have none.
Tensor query_latent(Net& blk, Tensor h, const MlaParams& p);

/// h (tokens, d_model) -> as h; `chosen`: of an indexer, for p.most_keys. Weights attn_q, or attn_q_a, attn_q_a_norm and
/// attn_q_b; attn_kv_a_mqa, attn_kv_a_norm; attn_output. With attn_kv_b, keys and values are cached for each head; with
/// attn_k_b and attn_v_b their latent vector is, and heads meet it in its own space.
Tensor mla(Net& blk, Tensor h, const MlaParams& p);
Tensor mla(Net& blk, Tensor h, Tensor query_latent, const MlaParams& p, Tensor chosen = {});

}  // namespace skald
