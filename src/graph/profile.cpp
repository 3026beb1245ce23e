#include "graph/profile.h"

#include <algorithm>
#include <vector>

namespace skald {

std::string profile_name(const Graph& graph, const Node& node) {
  for (int in : node.inputs)
    if (const Node& n = graph.node(in); n.source == Source::kWeight && n.out.shape.rank() >= 2)
      return std::string(node.op->name) + " " + std::string(n.out.format->name);
  return std::string(node.op->name);
}

Cost cost_of(const Graph& graph, const Node& node, const StepStats& step) {
  std::vector<ValueDesc> in;
  in.reserve(node.inputs.size());
  for (int i : node.inputs) in.push_back(graph.node(i).out);
  return node.op->cost(node.attrs, in, node.out, step);
}

Cost cost_of(const Graph& graph, const StepStats& step) {
  Cost total;
  for (const Node& node : graph.nodes()) {
    if (node.source != Source::kOp) continue;
    const Cost cost = cost_of(graph, node, step);
    total.bytes += cost.bytes;
    total.flops += cost.flops;
  }
  return total;
}

void Profile::add(const Graph& graph, const Node& node, const StepStats& step, const OpTime& time) {
  const Cost cost = cost_of(graph, node, step);
  ProfileRow& row = rows[profile_name(graph, node)];
  ++row.calls;
  row.seconds += time.seconds;
  row.thread_seconds += time.seconds * time.threads;
  row.waited += time.waited;
  row.bytes += cost.bytes;
  row.flops += cost.flops;
}

int64_t Profile::add_experts(const std::string& name, const TensorView& ids, int64_t n_experts) {
  auto at = std::ranges::find(experts, name, &ExpertLoad::name);
  if (at == experts.end())
    at = experts.insert(at, {.name = name, .tokens = std::vector<int64_t>(static_cast<size_t>(n_experts))});
  return at->add(ids);
}

ProfileRow Profile::total() const {
  ProfileRow sum;
  for (const auto& [name, row] : rows) {
    sum.calls += row.calls;
    sum.seconds += row.seconds;
    sum.thread_seconds += row.thread_seconds;
    sum.waited += row.waited;
    sum.bytes += row.bytes;
    sum.flops += row.flops;
  }
  return sum;
}

}  // namespace skald
