// Whether a draft model's tokens are those of the model that checks them.
#pragma once

#include "loading/loaded_model.h"

namespace skald {

/// Compares them token by token. A draft model may lack some of the last tokens, or have more, which pad the vocabulary.
/// Throws kUnsupported naming the first token that differs.
void check_same_vocabulary(const LoadedModel& model, const LoadedModel& draft);

}  // namespace skald
