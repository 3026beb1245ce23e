#include "backend/gpu/fusion.h"

#include <algorithm>

namespace skald::gpu {

Readers::Readers(const Graph& graph) : graph_(graph), readers_(static_cast<size_t>(graph.size())) {
  for (int id = 0; id < graph.size(); ++id)
    for (const int in : graph.node(id).inputs) readers_[static_cast<size_t>(in)].push_back(id);
}

bool Readers::is_only(int reader, int value) const {
  const bool kept = graph_.gives(value) || std::ranges::count(graph_.bound, value);
  return !kept && of(value) == std::vector<int>{reader};
}

bool are_neighbours(const Graph& graph, std::span<const int> nodes) {
  for (int id = nodes.front(); id < nodes.back(); ++id) {
    const Node& node = graph.node(id);
    if (node.source != Source::kOp || std::ranges::count(nodes, id)) continue;
    if (const GpuOp* op = find_gpu_op(*node.op); !op || op->record) return false;
  }
  return true;
}

std::vector<Fusion> find_fusions(const Graph& graph) {
  const Readers readers(graph);
  std::vector<Fusion> out;
  int from = 0;  // nodes before it have a fusion already
  for (int id = 0; id < graph.size(); ++id) {
    if (graph.node(id).source != Source::kOp) continue;
    for (const GpuFusion* how : gpu_fusions()) {
      std::vector<int> nodes = how->match(readers, id);
      if (nodes.empty() || nodes.front() < from) continue;
      out.push_back({how, std::move(nodes)});
      from = id + 1;
      break;
    }
  }
  return out;
}

std::vector<NodeRange> ranges_of(std::span<const Fusion> fusions) {
  std::vector<NodeRange> out;
  for (const Fusion& f : fusions) out.push_back({f.nodes.front(), f.nodes.back()});
  return out;
}

}  // namespace skald::gpu
