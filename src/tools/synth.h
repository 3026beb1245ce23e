// Models of real shapes with random weights, built in memory: to know how fast a machine is without a download.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/loaded_model.h"

namespace skald {

/// Names of the shapes that synth_model knows.
std::vector<std::string> shape_names();

/// `type` is a format's name; one-dimensional weights are f32. `progress` hears the share done, 0 to 1.
/// Throws kBadInput for an unknown shape or type.
std::shared_ptr<const LoadedModel> synth_model(const std::string& shape, const std::string& type, LoadOptions options = {},
                                               const std::function<void(double)>& progress = {});

}  // namespace skald
