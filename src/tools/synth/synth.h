// Models of real shapes with random weights: to know how fast a machine or an engine is without a download.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "loading/loaded_model.h"
#include "tools/synth/synth_recipe.h"

namespace skald {

/// Hears the share done, 0 to 1; an exception that it throws ends the work.
using SynthProgress = std::function<void(double)>;

/// The model in memory. Throws as synth_recipe does.
std::shared_ptr<const LoadedModel> synth_model(const SynthSpec& spec, const LoadOptions& options = {},
                                               const SynthProgress& progress = {});

/// The same model as a GGUF file that other engines load too, with a vocabulary of made-up tokens. The weights are made
/// while they are written. Throws as synth_model and GgufWriter::write do; after any exception `path` is as it was before.
/// Returns the bytes of all weights.
int64_t write_synth_file(const SynthSpec& spec, const std::string& path, const SynthProgress& progress = {});

}  // namespace skald
