#include "models/parts/ffn.h"

namespace skald {

Tensor swiglu_ffn(Net& blk, Tensor h, int64_t d_ff) {
  return blk.linear("ffn_down", blk.swiglu_linear("ffn_gate", "ffn_up", h, d_ff, Shard::kRows), h.cols(), Shard::kCols);
}

}  // namespace skald
