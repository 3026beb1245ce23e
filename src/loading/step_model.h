// StepModel: all that running steps takes of a model: a graph for any size of step, and its weights.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "graph/net.h"
#include "tensor/weight_source.h"

namespace skald {

struct StepModel {
  std::function<Graph(const StepCapacity&)> graph;
  std::shared_ptr<const WeightSource> weights;
  std::vector<StateSpec> states;
  int64_t n_vocab = 0;                         // token ids are below it
  const char* output = output_names::kLogits;  // the rows that steps are run for
  bool gives_hidden = false;                   // steps give the rows of all tokens as well (output_names::kHidden)
  /// Builds the graph whose weights are loaded, where that is more than steps read; none: `graph` does.
  std::function<Graph(const StepCapacity&)> loaded_graph = {};
  std::shared_ptr<const DeviceWeights> loaded = {};  // that are there; null: they are to be loaded
};

}  // namespace skald
