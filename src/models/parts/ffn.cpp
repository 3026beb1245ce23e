#include "models/parts/ffn.h"

namespace skald {

static Tensor down(Net& blk, Tensor hidden, int64_t d_model) { return blk.linear("ffn_down", hidden, d_model); }

Tensor plain_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  return down(blk, activation(blk.linear("ffn_up", h, d_ff), f), h.cols());
}

Tensor gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  return down(blk, blk.glu_linear("ffn_gate", "ffn_up", h, d_ff, f), h.cols());
}

Tensor packed_gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  const Tensor both = blk.linear("ffn_up", h, 2 * d_ff);
  return down(blk, glu(blk.columns(both, 0, d_ff), blk.columns(both, d_ff, d_ff), f), h.cols());
}

}  // namespace skald
