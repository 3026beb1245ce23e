// A context that fits into the memory that there is.
#pragma once

#include "skald/engine.h"
#include "skald/model.h"

namespace skald {

/// Compares the bytes of weights, cache and work with the memory that there is, control groups included. A context that does
/// not fit is made smaller, which a line says, or, where it was `asked` for, rejected (Error, kNoMemory).
/// `options.cache.n_ctx` 0 is the model's own context.
void fit_context(EngineOptions& options, const Model& model, bool asked);

}  // namespace skald
