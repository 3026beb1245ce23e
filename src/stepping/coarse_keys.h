// Keys of four bits lose some models what they know.
#pragma once

#include "graph/graph.h"
#include "tensor/format.h"

namespace skald {

/// Tells in the log when rows of keys are stored in four bits and the graph's have biases and no norm, as those of Qwen2.5:
/// a bias makes a few components so large that the others are rounded to nothing.
void warn_of_coarse_keys(const Graph& graph, const Format& keys);

}  // namespace skald
