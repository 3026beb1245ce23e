// The memory and the reading that a model of a known shape takes, before any of its weights exist.
#pragma once

#include <cstdint>

#include "skald/options.h"
#include "stepping/memory_need.h"
#include "tools/synth/synth_recipe.h"

namespace skald {

struct ShapeNeed {
  MemoryNeed memory = {};
  double token_bytes = 0;  // that a token reads while the cache is short
};

/// Of an engine with these options, whose `cache.n_ctx` is not 0. Throws as shape_graph() and the engine do.
ShapeNeed shape_need(const SynthSpec& spec, const EngineOptions& options);

/// Returns the bytes that a token of this graph reads and writes while the cache is short.
double token_bytes(const Graph& graph);

}  // namespace skald
