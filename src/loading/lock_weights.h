// Locking the weights of a model in memory.
#pragma once

#include "loading/loaded_model.h"

namespace skald {

/// Reads all weights in and keeps them there as long as the model lives. Where the system refuses, the log says what it
/// would take, and the model is as good as before.
void lock_weights(const LoadedModel& model);

}  // namespace skald
