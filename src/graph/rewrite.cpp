#include "graph/rewrite.h"

namespace skald {

Graph rewrite(const Graph& from, const RewriteOp& op) {
  Graph to;
  std::vector<int> moved;
  const auto move = [&](int id) {
    const Node& node = from.node(id);
    switch (node.source) {
      case Source::kInput:
        return to.input(node.name, node.out);
      case Source::kWeight:
        return to.weight(node.name, node.out.tensor());
      case Source::kOp:
        break;
    }
    return op(to, id, moved);
  };
  for (int id = 0; id < from.size(); ++id) moved.push_back(move(id).id);
  to.states = from.states;
  to.prefix_end = from.prefix_end;
  to.causal = from.causal;
  to.made_for = from.made_for;
  to.slices = from.slices;
  to.plans = from.plans;
  for (const GraphOutput& out : from.outputs()) to.give(moved[static_cast<size_t>(out.node)], out.name);
  for (const int id : from.bound) to.bound.push_back(moved[static_cast<size_t>(id)]);
  return to;
}

}  // namespace skald
