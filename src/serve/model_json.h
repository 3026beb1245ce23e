// A model as lists of models show it.
#pragma once

#include "serve/json.h"
#include "serve/model_shelf.h"

namespace skald::serve {

Json model_json(const ModelShelf::Entry& entry);

/// "loaded", "loading", "unloaded" or "failed".
std::string_view state_word(ModelShelf::State state);

/// Of a model's file, for clients that tell models apart by it: 64 hexadecimal digits.
std::string digest_of(const ModelShelf::Entry& entry);

}  // namespace skald::serve
