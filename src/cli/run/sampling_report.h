// How tokens are chosen, in words.
#pragma once

#include <string>

#include "cli/flags/sampling.h"
#include "skald/model.h"
#include "skald/sampling_params.h"

namespace skald {

/// "temp 0.8, top-k 40, ...": what makes a difference.
std::string described_sampling(const SamplingParams& params);

/// The same, a line each with where it comes from: "  top-k 20 (the model's file)". `params` is what `flags` made of the
/// model's defaults.
std::string sampling_sources(const SamplingFlags& flags, const Model& model, const SamplingParams& params);

}  // namespace skald
