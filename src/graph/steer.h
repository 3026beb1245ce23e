// Steering: vectors that are added to the outputs of a model's layers (Zou et al., arXiv 2310.01405).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace skald {

/// Returns the name of the weight that is added after a layer: "blk.3.control_vector".
std::string control_vector_name(int64_t layer);
/// Tells whether a weight is one of these.
bool is_control_vector(std::string_view weight);

/// Makes the same graph, with a vector added to the output of each of `layers`: the one value of `d_model` columns that
/// later layers read, or after the last one the output. Throws kUnsupported, naming the layer, where there is none or
/// several.
Graph steer(const Graph& graph, std::span<const int64_t> layers, int64_t d_model);

}  // namespace skald
