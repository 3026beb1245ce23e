#include "models/parts/ffn.h"

namespace skald {

namespace {

Tensor down(Net& blk, Tensor hidden, int64_t d_model) { return blk.linear("ffn_down", hidden, d_model); }

Tensor of_two(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  return down(blk, blk.glu_linear("ffn_gate", "ffn_up", h, d_ff, f), h.cols());
}

Tensor of_one(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  const Tensor both = blk.linear("ffn_up", h, 2 * d_ff);
  return down(blk, glu(blk.columns(both, 0, d_ff), blk.columns(both, d_ff, d_ff), f), h.cols());
}

}  // namespace

Tensor plain_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  return down(blk, activation(blk.linear("ffn_up", h, d_ff), f), h.cols());
}

Tensor gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  const std::optional<Shape> up = blk.shape_of("ffn_up.weight");
  const bool packed = up && up->rows() == 2 * d_ff && !blk.has_weight("ffn_gate.weight");
  return packed ? of_one(blk, h, d_ff, f) : of_two(blk, h, d_ff, f);
}

Tensor packed_gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  return blk.has_weight("ffn_gate.weight") ? of_two(blk, h, d_ff, f) : of_one(blk, h, d_ff, f);
}

}  // namespace skald
