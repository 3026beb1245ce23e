// Softmax over a row of logits, by the passes that samplers use.
#pragma once

#include <span>
#include <vector>

namespace skald {

/// out[i] = exp(logits[i]) / sum; `out` may be longer. Returns ln sum. At least one logit is finite.
double softmax(std::span<const float> logits, std::vector<float>& out);

/// Returns the Kullback-Leibler divergence of `other` from `logits`, both (n_vocab), in nats: the sum of p (ln p - ln q).
/// `work` is memory that calls share.
double divergence(std::span<const float> logits, std::span<const float> other, std::vector<float>& work);

}  // namespace skald
