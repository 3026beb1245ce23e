// Fields of a request that say how tokens are chosen: those of OpenAI's API, llama-server's and ollama's.
#pragma once

#include "serve/fields.h"
#include "skald/model.h"
#include "skald/sampling_params.h"

namespace skald::serve {

/// The fields over `params`. Throws ApiError (400) naming the field.
void read_sampling(const Fields& fields, const Model& model, SamplingParams& params);

}  // namespace skald::serve
