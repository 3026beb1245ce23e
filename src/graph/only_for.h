// A graph with another result than it was built for.
#pragma once

#include "graph/graph.h"

namespace skald {

/// The graph whose output is the value `output`: with the inputs that steps bring, the operations that this value needs and
/// the weights that these read. `from` binds no values.
Graph only_for(const Graph& from, int output);

}  // namespace skald
