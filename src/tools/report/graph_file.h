// A model's computational graph as a Graphviz file.
#pragma once

#include <cstdint>
#include <string>

#include "loading/loaded_model.h"

namespace skald {

/// The needs of a graph that runs.
struct GraphSummary {
  int n_nodes;
  int64_t arena_bytes;  // activations at their peak
  int64_t total_bytes;  // activations without sharing memory
};

/// Writes the graph of steps of up to `batch` tokens; where its operations are on several devices, in their colours. Throws
/// as make_backend and the file's writer.
GraphSummary write_graph(const LoadedModel& model, int64_t batch, const DeviceOptions& device, const std::string& path);

}  // namespace skald
