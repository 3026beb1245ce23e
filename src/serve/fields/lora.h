// The adapters that a request names.
#pragma once

#include <utility>
#include <vector>

#include "serve/fields/fields.h"
#include "serve/models/served_model.h"

namespace skald::serve {

/// Reads a list of {"id", "scale"}, as llama-server has it. Throws ApiError naming the field.
std::vector<std::pair<int64_t, float>> read_scales(const Json& list, const std::string& path);

/// Returns the adapters of `lora`, a list of {"id", "scale"}; else the one whose name is the request's `model`; else those
/// that the server applies to all. Throws ApiError naming the field.
std::vector<LoraUse> read_loras(const Fields& fields, ServedModel& model);

}  // namespace skald::serve
