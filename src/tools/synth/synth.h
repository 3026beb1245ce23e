// Models of real shapes with random weights: to know how fast a machine or an engine is without a download.
#pragma once

#include <memory>
#include <string>

#include "loading/loaded_model.h"
#include "tools/synth/synth_recipe.h"

namespace skald {

/// Makes the model in memory. Throws as synth_recipe does.
std::shared_ptr<const LoadedModel> synth_model(const SynthSpec& spec, const LoadOptions& options = {},
                                               const OnProgress& on_progress = {});

/// The same model as a GGUF file that other engines load too, with a vocabulary of made-up tokens. The weights are made
/// while they are written. Throws as synth_model and GgufWriter::write do; after any exception `path` is as it was before.
/// Returns the bytes of all weights.
int64_t write_synth_file(const SynthSpec& spec, const std::string& path, const OnProgress& on_progress = {});

}  // namespace skald
