// Models as ollama's API shows them.
#pragma once

#include "serve/json.h"
#include "serve/model_shelf.h"

namespace skald::serve {

/// An entry of /api/tags and /api/ps.
Json ollama_model_json(const ModelShelf::Entry& entry);
/// format, family, parameter_size, quantization_level
Json ollama_details(const ModelShelf::Entry& entry);

}  // namespace skald::serve
