#include "models/parts/key_indexer.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "models/parts/hparams.h"

namespace skald {
namespace {

constexpr float kEps = 1e-6f;  // of the keys' norm, which files do not say

// Those whose indexer chooses keys; the others go by the choice of the layer before. Older files do not say it: there the
// weights do.
std::vector<bool> read_own(const Net& net, const MetaView& m) {
  constexpr std::string_view kTypes = "attention.indexer.types";
  const int64_t n = read_layer_count(m);
  if (m.has(kTypes)) {
    std::vector<bool> own = read_layer_flags(m, kTypes, n);
    if (!own.front()) fail(Errc::kBadFile, "key {}: the first layer has no indexer", m.full(kTypes));
    return own;
  }
  std::vector<bool> own = {true};
  for (int64_t i = 1; i < n; ++i) own.push_back(net.layer_at(i).has_weight("indexer.attn_k.weight"));
  return own;
}

}  // namespace

KeyIndexer::KeyIndexer(const Net& net, const MetaView& m, MlaParams& attention, RopePairs pairs)
    : heads_(m.in_range("attention.indexer.head_count", 1, 65536)),
      d_(m.in_range("attention.indexer.key_length", 2, 65536)),
      most_(m.in_range("attention.indexer.top_k", 1, std::numeric_limits<int32_t>::max())),
      rope_(attention.rope.value()),
      own_(read_own(net, m)) {
  if (d_ < attention.d_rope)
    fail(Errc::kBadFile, "key {}: {} for RoPE of {}", m.full("attention.indexer.key_length"), d_, attention.d_rope);
  rope_.pairs = pairs;
  attention.most_keys = most_;
}

Tensor KeyIndexer::choose(Net& blk, Tensor h, Tensor query_latent) const {
  const Tensor q = blk.rope(blk.linear("indexer.attn_q_b", query_latent, heads_ * d_), d_, rope_);
  const Tensor k = blk.layer_norm("indexer.k_norm", blk.linear("indexer.attn_k", h, d_), kEps);
  const float share = 1.0f / std::sqrt(static_cast<float>(heads_ * d_));
  const Tensor weights = scale(blk.linear("indexer.proj", h, heads_), share);
  return blk.choose_keys(q, weights, blk.cache_keys(blk.rope(k, d_, rope_), heads_), most_);
}

Tensor KeyIndexer::layer(Net& blk, int64_t i, Tensor h, const MlaParams& attention) {
  const Tensor latent = query_latent(blk, h, attention);
  const bool ahead = i >= std::ssize(own_);  // its graph has no layer before it
  if (ahead || own_[static_cast<size_t>(i)]) chosen_ = choose(blk, h, latent);
  return mla(blk, h, latent, attention, chosen_);
}

}  // namespace skald
