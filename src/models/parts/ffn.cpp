#include "models/parts/ffn.h"

namespace skald {

namespace {

Tensor down(Net& blk, Tensor hidden, int64_t d_model) { return blk.linear("ffn_down", hidden, d_model); }

Tensor of_two(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  return down(blk, blk.glu_linear("ffn_gate", "ffn_up", h, d_ff, f), h.cols());
}

GateAndUp packed_halves(Net& blk, Tensor h, int64_t d_ff) {
  const Tensor both = blk.linear("ffn_up", h, 2 * d_ff);
  return {blk.columns(both, 0, d_ff), blk.columns(both, d_ff, d_ff)};
}

Tensor of_one(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  const auto [gate, up] = packed_halves(blk, h, d_ff);
  return down(blk, glu(gate, up, f), h.cols());
}

bool is_packed(const Net& blk, int64_t d_ff) {
  const std::optional<Shape> up = blk.shape_of("ffn_up.weight");
  return up && up->rows() == 2 * d_ff && !blk.has_weight("ffn_gate.weight");
}

}  // namespace

Tensor plain_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  return down(blk, activation(blk.linear("ffn_up", h, d_ff), f), h.cols());
}

Tensor gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  return is_packed(blk, d_ff) ? of_one(blk, h, d_ff, f) : of_two(blk, h, d_ff, f);
}

GateAndUp gate_and_up(Net& blk, Tensor h, int64_t d_ff) {
  if (is_packed(blk, d_ff)) return packed_halves(blk, h, d_ff);
  const std::vector<Tensor> x = blk.linears({{"ffn_gate", d_ff}, {"ffn_up", d_ff}}, h);
  return {x[0], x[1]};
}

Tensor packed_gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  return blk.has_weight("ffn_gate.weight") ? of_two(blk, h, d_ff, f) : of_one(blk, h, d_ff, f);
}

}  // namespace skald
