// Feed-forward blocks that families share; h (tokens, d_model) -> as h.
#pragma once

#include "graph/net.h"

namespace skald {

/// ffn_down(f(ffn_up(h))).
Tensor plain_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f);

/// ffn_down(f(ffn_gate(h)) * ffn_up(h)).
Tensor gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f);

/// The same with both halves in ffn_up, the gate's rows first.
Tensor packed_gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f);

}  // namespace skald
