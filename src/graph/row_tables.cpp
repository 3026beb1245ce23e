#include "graph/row_tables.h"

#include "graph/ops/embed.h"

namespace skald {

std::vector<int> row_tables(const Graph& graph) {
  std::vector<bool> table(static_cast<size_t>(graph.size())), other(table);
  for (const Node& node : graph.nodes())
    for (size_t i = 0; i < node.inputs.size(); ++i)
      (node.op == &op_embed && i == 1 ? table : other)[static_cast<size_t>(node.inputs[i])] = true;
  std::vector<int> out;
  for (int id = 0; id < graph.size(); ++id) {
    const auto at = static_cast<size_t>(id);
    if (graph.node(id).source == Source::kWeight && table[at] && !other[at]) out.push_back(id);
  }
  return out;
}

}  // namespace skald
