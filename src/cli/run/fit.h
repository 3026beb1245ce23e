// A context that fits into the memory that there is.
#pragma once

#include <optional>
#include <string>

#include "skald/engine.h"
#include "skald/model.h"

namespace skald {

/// Compares the bytes of weights, cache and work with the memory that there is, control groups included. A context that does
/// not fit is made smaller, or, where it was `asked` for, rejected (Error, kNoMemory). Returns the reason where it was made
/// smaller. `options.cache.n_ctx` 0 is the model's own context.
std::optional<std::string> shorten_context(EngineOptions& options, const Model& model, bool asked);

/// Does the same, and tells of a context that was made smaller.
void fit_context(EngineOptions& options, const Model& model, bool asked);

/// Describes the context of an engine and the reason for it: it was `asked` for, or made smaller for `shortened`, or it is
/// the default.
std::string context_line(int64_t n_ctx, int64_t n_ctx_train, bool asked, const std::optional<std::string>& shortened);

}  // namespace skald
