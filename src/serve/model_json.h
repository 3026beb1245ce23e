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

/// A Unix time in RFC 3339.
std::string rfc3339(int64_t unix_time);

}  // namespace skald::serve
