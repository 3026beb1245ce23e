#include "graph/only_for.h"

#include <vector>

#include "base/error.h"

namespace skald {
namespace {

std::vector<bool> needed_for(const Graph& graph, int node) {
  std::vector<bool> needed(static_cast<size_t>(graph.size()));
  needed[static_cast<size_t>(node)] = true;
  for (int id = node; id >= 0; --id)
    if (needed[static_cast<size_t>(id)])
      for (const int in : graph.node(id).inputs) needed[static_cast<size_t>(in)] = true;
  return needed;
}

}  // namespace

Graph only_for(const Graph& from, std::string_view output) {
  const int wanted = from.output(output);
  SKALD_ASSERT(wanted >= 0 && from.bound.empty());
  const std::vector<bool> needed = needed_for(from, wanted);
  Graph to;
  std::vector<int> moved(static_cast<size_t>(from.size()), -1);
  for (int id = 0; id < from.size(); ++id) {
    const Node& node = from.node(id);
    int& at = moved[static_cast<size_t>(id)];
    if (node.source == Source::kInput) at = to.input(node.name, node.out).id;
    if (node.source == Source::kInput || !needed[static_cast<size_t>(id)]) continue;
    if (node.source == Source::kWeight) {
      at = to.weight(node.name, node.out.tensor()).id;
      continue;
    }
    std::vector<Tensor> in;
    for (const int i : node.inputs) in.push_back({&to, moved[static_cast<size_t>(i)]});
    at = to.add(*node.op, node.attrs, in, node.name).id;
  }
  to.states = from.states;
  to.prefix_end = from.prefix_end;
  to.causal = from.causal;
  to.made_for = from.made_for;
  to.slices = from.slices;
  to.plans = from.plans;
  to.give(moved[static_cast<size_t>(wanted)], output);
  return to;
}

}  // namespace skald
