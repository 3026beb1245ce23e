// What a response of OpenAI's API repeats of its request.
#pragma once

#include "serve/fields/generation_request.h"
#include "serve/json.h"

namespace skald::serve {

/// Gives the fields of a response that say how it was made: what the request says, else the values in use. A field that is
/// null counts as absent; only those are null that the API allows to be.
Json response_echo(const Json& body, const GenerationRequest& what);

}  // namespace skald::serve
