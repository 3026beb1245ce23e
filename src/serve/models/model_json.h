// A model as lists of models show it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/json.h"
#include "serve/models/model_pool.h"

namespace skald::serve {

Json model_json(const ModelPool::Entry& entry);

/// Returns those of its adapters that requests may name as their model.
std::vector<Json> adapters_json(const ModelPool::Entry& entry);

/// "loaded", "loading", "unloaded" or "failed".
std::string_view state_word(ModelPool::State state);

/// Of a model's file, for clients that tell models apart by it: 64 hexadecimal digits.
std::string digest_of(const ModelPool::Entry& entry);

}  // namespace skald::serve
