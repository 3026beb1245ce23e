// A context that fits into the memory that there is.
#pragma once

#include "skald/engine.h"
#include "skald/model.h"

namespace skald {

/// Compares what weights, cache and work will take with the memory that there is, control groups included. A context that
/// does not fit is made smaller, which a line says, or where it was `asked` for refused (Error, kNoMemory).
/// `options.cache.n_ctx` 0 is what the model was made for.
void fit_context(EngineOptions& options, const Model& model, bool asked);

}  // namespace skald
