// Penalties: tokens of the recent text become less likely. As in llama.cpp.
#pragma once

#include <span>

#include "skald/sampling_params.h"
#include "skald/types.h"

namespace skald {

/// Whether the parameters change any logit.
bool penalizes(const SamplingParams& params);

/// Divides positive logits of the last tokens of `past` by the repeat penalty and multiplies negative ones, then subtracts
/// presence + count * frequency.
void penalize(const SamplingParams& params, std::span<const TokenId> past, std::span<float> logits);

}  // namespace skald
