// Feed-forward blocks that families share.
#pragma once

#include "graph/net.h"

namespace skald {

/// down(f(gate(h)) * up(h)), with weights ffn_gate, ffn_up, ffn_down; h (tokens, d_model) -> as h.
Tensor gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f);

}  // namespace skald
