// Scales of a static cache of integers: one for all keys of a layer and one for all values, fixed before anything is stored.
#pragma once

#include <span>
#include <vector>

#include "backend/backend.h"
#include "loading/step_model.h"
#include "skald/types.h"

namespace skald {

/// The scales (layers, 2) that hold the keys and values of these tokens, and somewhat larger ones, as integers of eight
/// bits. Runs the model on them, with floats. At least one token.
std::vector<float> calibrated_scales(const StepModel& model, Backend& backend, std::span<const TokenId> tokens);

/// Scales as users give them, see StaticParams, for each layer's keys and values (layers, 2). Throws kBadInput for another
/// number of them.
std::vector<float> scales_per_layer(std::span<const float> given, int64_t n_layers);

}  // namespace skald
