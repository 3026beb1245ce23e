// The indexer of sparse latent attention: small keys of its own choose those that a query attends to. DeepSeek-V3.2, arXiv
// 2512.02556.
#pragma once

#include "base/meta.h"
#include "graph/net.h"
#include "models/parts/mla.h"

namespace skald {

class KeyIndexer {
 public:
  /// The keys attention.indexer.*; `attention` learns how many keys a row attends to. `pairs`: of the indexer's RoPE, whose
  /// values come first in a head. Throws kNotFound or kBadFile naming
  /// the key.
  KeyIndexer(const Net& net, const MetaView& m, MlaParams& attention, RopePairs pairs);

  /// mla() of h (tokens, d_model) over the keys that the layer's indexer chooses, by the weights indexer.attn_q_b,
  /// indexer.attn_k, indexer.k_norm and indexer.proj. In a layer without one: over those that the layer before chose. As h.
  /// Layers are asked in order.
  Tensor layer(Net& blk, int64_t i, Tensor h, const MlaParams& attention);

 private:
  Tensor choose(Net& blk, Tensor h, Tensor query_latent) const;

  int64_t heads_, d_, most_;
  RopeSpec rope_;
  std::vector<bool> own_;  // layers that have an indexer
  Tensor chosen_ = {};
};

}  // namespace skald
