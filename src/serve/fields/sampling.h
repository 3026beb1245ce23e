// Fields of a request that say how tokens are chosen: those of OpenAI's API, llama-server's and ollama's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "serve/fields/fields.h"
#include "skald/sampling_params.h"

namespace skald::serve {

/// Reads the fields over `params`, of a vocabulary of this many tokens; and the texts after which a repetition counts as a
/// new one for DRY, from which dry_breakers are made. Throws ApiError (400) naming the field.
std::vector<std::string> read_sampling(const Fields& fields, int64_t n_vocab, SamplingParams& params);

/// Says of the same fields that they have no effect.
void sampling_not_followed(const Fields& fields);

}  // namespace skald::serve
