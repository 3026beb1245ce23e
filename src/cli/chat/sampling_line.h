// How tokens are chosen, as a line that a person types.
#pragma once

#include <string>

#include "skald/model.h"
#include "skald/sampling_params.h"

namespace skald {

/// Returns `params` with the values of "temp 0.5 top-k 20"; the names are those of the flags. Throws UsageError.
SamplingParams changed_sampling(const SamplingParams& params, const Model& model, const std::string& line);

}  // namespace skald
