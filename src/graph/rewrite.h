// Rewriting: another graph with the same inputs, weights and results, made operation by operation.
#pragma once

#include <functional>
#include <span>

#include "graph/graph.h"

namespace skald {

/// Gives the value in `to` that the operation `id` of the first graph becomes; moved[i] is what value i < id has become.
using RewriteOp = std::function<Tensor(Graph& to, int id, std::span<const int> moved)>;

Graph rewrite(const Graph& from, const RewriteOp& op);

}  // namespace skald
