// How tokens are chosen, as a line that a person types.
#pragma once

#include <string>

#include "skald/model.h"
#include "skald/sampling_params.h"

namespace skald {

/// `params` with what "temp 0.5 top-k 20" says; the names are those of the flags. Throws UsageError.
SamplingParams changed_sampling(const SamplingParams& params, const Model& model, const std::string& line);

}  // namespace skald
