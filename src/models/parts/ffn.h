// Feed-forward blocks that families share; h (tokens, d_model) -> as h.
#pragma once

#include "graph/net.h"

namespace skald {

/// ffn_down(f(ffn_up(h))).
Tensor plain_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f);

/// ffn_gate(h) and ffn_up(h), which a file may have both in ffn_up, the gate's rows first: (tokens, d_ff) each.
struct GateAndUp {
  Tensor gate, up;
};
GateAndUp gate_and_up(Net& blk, Tensor h, int64_t d_ff);

/// ffn_down(f(ffn_gate(h)) * ffn_up(h)). Files of any family have ffn_gate and ffn_up, or both in ffn_up, the gate's rows
/// first. The name says which of them the family's files usually have.
Tensor gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f);
Tensor packed_gated_ffn(Net& blk, Tensor h, int64_t d_ff, Activation f);

}  // namespace skald
