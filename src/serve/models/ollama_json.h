// Models as ollama's API shows them.
#pragma once

#include "serve/json.h"
#include "serve/models/model_pool.h"

namespace skald::serve {

/// Returns an entry of /api/tags and /api/ps.
Json ollama_model_json(const ModelPool::Entry& entry);
/// format, family, parameter_size, quantization_level
Json ollama_details(const ModelPool::Entry& entry);

}  // namespace skald::serve
