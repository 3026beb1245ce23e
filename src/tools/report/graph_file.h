// A model's computational graph as a Graphviz file.
#pragma once

#include <cstdint>
#include <string>

#include "loading/loaded_model.h"

namespace skald {

/// What the graph needs to run.
struct GraphSummary {
  int n_nodes;
  int64_t arena_bytes;  // activations at their peak
  int64_t total_bytes;  // activations without sharing memory
};

/// The graph of steps of up to `batch` tokens. Throws what writing the file throws.
GraphSummary write_graph(const LoadedModel& model, int64_t batch, const std::string& path);

}  // namespace skald
