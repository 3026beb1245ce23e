// How tokens are chosen, in words.
#pragma once

#include <string>

#include "cli/flags/sampling.h"
#include "skald/model.h"
#include "skald/sampling_params.h"

namespace skald {

/// "temp 0.8, top-k 40, ...": the values that make a difference.
std::string described_sampling(const SamplingParams& params);

/// The same, a line each with where it comes from: " top-k 20 (the model's file)". `params`: the model's defaults, changed
/// by `flags`.
std::string sampling_sources(const SamplingFlags& flags, const Model& model, const SamplingParams& params);

}  // namespace skald
