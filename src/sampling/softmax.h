// Softmax over a row of logits: what costs of samplers are compared with.
#pragma once

#include <span>
#include <vector>

namespace skald {

/// out[i] = exp(logits[i]) / sum, by the passes that samplers use; `out` may be longer. At least one logit is finite.
void softmax(std::span<const float> logits, std::vector<float>& out);

}  // namespace skald
