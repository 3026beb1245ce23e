// Products with several weights, and a bias for each: queries, keys and values of some models.
#include "backend/gpu/fusion.h"
#include "backend/gpu/products.h"
#include "graph/ops/binary.h"
#include "graph/ops/columns.h"
#include "graph/ops/linear.h"

namespace skald {

using namespace gpu;

// The sum of a bias and these columns of a product, if all that reads them is such a sum; else -1.
static int sum_of(const Readers& readers, int columns) {
  const Graph& graph = readers.graph();
  const Node& view = graph.node(columns);
  if (view.op != &op_columns || readers.of(columns).size() != 1) return -1;
  const int sum = readers.of(columns).front();
  const Node& node = graph.node(sum);
  if (node.op != &op_add || node.inputs[0] != columns || !readers.is_only(sum, columns)) return -1;
  const ValueDesc& bias = graph.node(node.inputs[1]).out;
  return bias.shape == Shape{view.out.shape.back()} && bias.rows == Rows::kFixed ? sum : -1;
}

// Whether the views of a product are of a weight each, in order.
static bool are_of_weights(const Graph& graph, const Node& linear, const std::vector<int>& views) {
  if (views.size() + 1 != linear.inputs.size()) return false;
  int64_t first = 0;
  for (size_t i = 0; i < views.size(); ++i) {
    const Node& view = graph.node(views[i]);
    const int64_t n = graph.node(linear.inputs[i + 1]).out.shape[0];
    if (view.op != &op_columns || view.op->view_from(view.attrs) != first || view.out.shape.back() != n) return false;
    first += n;
  }
  return true;
}

static std::vector<int> match(const Readers& readers, int last) {
  const Graph& graph = readers.graph();
  if (graph.node(last).op != &op_add) return {};
  const Node& view = graph.node(graph.node(last).inputs[0]);
  if (view.op != &op_columns) return {};
  const int linear = view.inputs[0];
  const std::vector<int>& views = readers.of(linear);
  if (graph.node(linear).op != &op_linear || graph.gives(linear)) return {};
  if (!are_of_weights(graph, graph.node(linear), views)) return {};
  std::vector<int> nodes = {linear};
  for (const int one : views) {
    const int sum = sum_of(readers, one);
    if (sum < nodes.back()) return {};
    nodes.push_back(sum);
  }
  return nodes.back() == last && are_neighbours(graph, nodes) ? nodes : std::vector<int>();
}

static void record(const GpuContext& cx, std::span<const FusedNode> nodes) {
  const GpuOpArgs& io = nodes[0].io;
  std::vector<Product> products;
  for (size_t i = 1; i < nodes.size(); ++i)
    products.push_back({io.in[i], matrix(nodes[i].io.out), {nodes[i].io.in[1].as(), 0}});
  Products(cx, io, io.in[0]).multiply(products);
}

extern const GpuFusion fused_linear_biases;
const GpuFusion fused_linear_biases = {match, record};

}  // namespace skald
