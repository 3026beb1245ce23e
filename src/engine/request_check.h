// Checks of a request before it is queued.
#pragma once

#include <cstdint>

#include "loading/loaded_model.h"
#include "skald/engine.h"

namespace skald {

/// Of the engine that is to run it.
struct RequestLimits {
  int64_t n_ctx = 0;
  int64_t rows = 0;  // of a step
  bool shift = false, share_prefixes = false, static_shapes = false, stores = false;
};

/// Throws Error for a request that Engine::submit() rejects, but for its grammar.
void check_request(const Request& request, const LoadedModel& model, const RequestLimits& limits);

}  // namespace skald
