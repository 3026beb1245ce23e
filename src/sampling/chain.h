// The chain of filters that parameters ask for.
#pragma once

#include <vector>

#include "sampling/filter.h"
#include "skald/sampling_params.h"

namespace skald {

/// In the order in which they act: logit bias, the chain or mirostat with its temperature, and what acts last. Those that
/// the parameters switch off are among them. Throws kBadInput naming an unknown sampler.
std::vector<const FilterDef*> chain_of(const SamplingParams& params);

}  // namespace skald
