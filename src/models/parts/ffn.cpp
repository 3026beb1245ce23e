#include "models/parts/ffn.h"

namespace skald {

Tensor swiglu_ffn(Net& blk, Tensor h, int64_t d_ff) {
  const Tensor gate = blk.linear("ffn_gate", h, d_ff, Shard::kRows);
  const Tensor up = blk.linear("ffn_up", h, d_ff, Shard::kRows);
  return blk.linear("ffn_down", swiglu(gate, up), h.cols(), Shard::kCols);
}

}  // namespace skald
