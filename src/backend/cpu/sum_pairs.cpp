#include "backend/cpu/sum_pairs.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/ops/linear.h"
#include "graph/ops/sum_ranks.h"

namespace skald {
namespace {

// Some that is worth two exchanges more, and parts of products that lose no speed.
constexpr int64_t kBytes = int64_t{1} << 19, kMostParts = 4, kGrain = 32;

bool has_rows_of_tokens(const Graph& graph, const Node& node) {
  return node.out.rows == Rows::kTokens && std::ranges::all_of(node.inputs, [&](int in) {
           return graph.node(in).source == Source::kWeight || graph.node(in).out.rows == Rows::kTokens;
         });
}

int64_t readers(const Graph& graph, int id) {
  return std::ranges::count_if(graph.nodes(), [id](const Node& n) { return std::ranges::count(n.inputs, id) > 0; });
}

// Experts are left out: each has few rows even of all tokens.
bool is_pair(const Graph& graph, int product) {
  const Node &node = graph.node(product), &sum = graph.node(product + 1);
  const auto is_bound = [&](int id) { return std::ranges::count(graph.bound, id) > 0; };
  return node.op == &op_linear && sum.op == &op_sum_ranks && sum.inputs[0] == product && has_rows_of_tokens(graph, node) &&
         readers(graph, product) == 1 && !graph.gives(product) && !is_bound(product) && !is_bound(product + 1);
}

}  // namespace

std::vector<NodeRange> sum_pairs(const Graph& graph) {
  std::vector<NodeRange> out;
  for (int id = 0; id + 1 < graph.size(); ++id) {
    const Shape& shape = graph.node(id).out.shape;
    if (is_pair(graph, id) && rows_of_sum(shape[0], shape.back()) < shape[0]) out.push_back({id, id + 1});
  }
  return out;
}

int64_t rows_of_sum(int64_t rows, int64_t cols) {
  const int64_t parts = std::min(rows * cols * static_cast<int64_t>(sizeof(float)) / kBytes, kMostParts);
  return parts < 2 ? rows : round_up(ceil_div(rows, parts), kGrain);
}

}  // namespace skald
