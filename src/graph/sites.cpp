#include "graph/sites.h"

#include "graph/input_names.h"
#include "graph/ops/embed.h"
#include "graph/ops/linear.h"

namespace skald {
namespace {

bool is_token_table(const Graph& graph, const Node& node, size_t i) {
  return node.op == &op_embed && i == 1 && graph.node(node.inputs[0]).name == input_names::kTokens &&
         graph.node(node.inputs[1]).name == kTokenTable;
}

}  // namespace

std::string site_name(const Graph& graph, const Node& node, size_t i) {
  const Node& weight = graph.node(node.inputs[i]);
  if (!node.op || weight.source != Source::kWeight) return {};
  if (is_token_table(graph, node, i)) return kTokenTable;
  if (!node.op->is_factor(i)) return {};
  return node.op == &op_linear && weight.name == kTokenTable ? kOutputMatrix : weight.name;
}

std::map<std::string, Site> sites_of(const Graph& graph) {
  std::map<std::string, Site> out;
  for (const Node& node : graph.nodes())
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (std::string name = site_name(graph, node, i); !name.empty())
        out.insert_or_assign(std::move(name), Site{graph.node(node.inputs[i]).out.shape, is_token_table(graph, node, i)});
  return out;
}

}  // namespace skald
