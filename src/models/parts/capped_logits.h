// Logits with a soft cap where the file has one (Gemma).
#pragma once

#include "base/meta.h"
#include "graph/net.h"

namespace skald {

/// unembed(x), by the key final_logit_softcapping where there is one; x (outputs, d_model) -> (outputs, n_vocab).
Tensor capped_logits(Net& net, const MetaView& m, Tensor x, int64_t n_vocab);

}  // namespace skald
