#include "models/parts/ffn.h"

namespace skald {

Tensor gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f) {
  return blk.linear("ffn_down", blk.glu_linear("ffn_gate", "ffn_up", h, d_ff, f, Shard::kRows), h.cols(), Shard::kCols);
}

}  // namespace skald
