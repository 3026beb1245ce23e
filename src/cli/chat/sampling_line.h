// How tokens are chosen, as a line that a person types and reads.
#pragma once

#include <string>

#include "skald/model.h"
#include "skald/sampling_params.h"

namespace skald {

/// `params` with what "temp 0.5 top-k 20" says; the names are those of the flags. Throws UsageError.
SamplingParams changed_sampling(const SamplingParams& params, const Model& model, const std::string& line);
/// "temp 0.8, top-k 40, ...", the values that do something.
std::string described_sampling(const SamplingParams& params);

}  // namespace skald
