// Looking at graphs in tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace skald::test {

inline int64_t count_ops(const Graph& g, std::string_view op) {
  return std::ranges::count_if(g.nodes(), [&](const Node& n) { return n.source == Source::kOp && n.op->name == op; });
}

/// The names of the graph's operations in order.
inline std::vector<std::string> op_names(const Graph& g) {
  std::vector<std::string> names;
  for (const Node& n : g.nodes())
    if (n.source == Source::kOp) names.emplace_back(n.op->name);
  return names;
}

/// A value of the step with `n` columns, at a capacity of `rows`.
inline Tensor matrix(Graph& g, int64_t rows, int64_t n, Rows kind = Rows::kTokens) {
  return g.input("x" + std::to_string(g.size()), {&format_f32, Shape{rows, n}, kind});
}

inline Tensor weight(Graph& g, Shape shape, const Format& format = format_f32) {
  return g.weight("w" + std::to_string(g.size()), {&format, shape});
}

}  // namespace skald::test
