// How many layers of a model a device has room for: what -ngl auto means.
#pragma once

#include <cstdint>

#include "loading/loaded_model.h"
#include "skald/options.h"

namespace skald {

/// The most last layers of the model, what follows them counting as one, whose weights and cache fit into `memory` bytes of
/// a device, of which 512 MiB are left to the work of steps.
int64_t layers_that_fit(const LoadedModel& model, const EngineOptions& options, int64_t memory);

/// The options with a number of layers in place of "auto", for the device that they name; others as they are.
EngineOptions with_gpu_layers(const LoadedModel& model, EngineOptions options);

}  // namespace skald
