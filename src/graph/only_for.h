// A graph that gives less than it was built for.
#pragma once

#include <string_view>

#include "graph/graph.h"

namespace skald {

/// The graph that gives the value `output` of `from` alone: with all inputs that steps bring, the operations that this value
/// needs and the weights that these read. `from` gives a value of this name, and binds none.
Graph only_for(const Graph& from, std::string_view output);

}  // namespace skald
