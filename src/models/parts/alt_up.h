// AltUp: several residual streams, of which a layer computes one; the others are predicted from all and corrected by its
// result. Baykal et al., arXiv 2301.13310, as Gemma 3n has it.
#pragma once

#include <vector>

#include "models/parts/hparams.h"

namespace skald {

using Streams = std::vector<Tensor>;  // (tokens, d_model) each

class AltUp {
 public:
  /// Throws kNotFound or kBadFile naming the key.
  AltUp(const MetaView& m, const DecoderParams& p);

  size_t active() const { return static_cast<size_t>(active_); }
  /// One stream as it is, the others by altup_proj, as long as it.
  Streams split(Net& net, Tensor x) const;
  /// Builds the mean of the streams, the others by altup_unembd_proj, as long as the active one.
  Tensor merge(Net& net, const Streams& x) const;
  Streams predict(Net& blk, const Streams& x) const;
  /// `found`: the layer's result for the active prediction.
  Streams correct(Net& blk, const Streams& predicted, Tensor found) const;

 private:
  Tensor router(Net& blk, Tensor x) const;
  Streams projected(Net& net, const std::string& name, const Streams& x, Tensor like) const;

  int64_t n_, active_;
  float eps_;
};

}  // namespace skald
