// The field `prediction` of OpenAI's APIs: what an answer may repeat.
#pragma once

#include <vector>

#include "serve/fields/fields.h"
#include "serve/models/served_model.h"

namespace skald::serve {

/// The tokens of {"type": "content", "content": a text or a list of texts' parts}; empty where the field is absent. An
/// engine without guesses by texts does not follow it. Throws ApiError (400) naming the field.
std::vector<TokenId> read_prediction(const Fields& fields, ServedModel& model);

}  // namespace skald::serve
