#include "graph/split.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"

namespace skald {
namespace {

bool is_view(const Node& node) { return node.source == Source::kOp && node.op->view_from; }

/// Copies operations of a graph into a part, and declares there whatever they read.
class Extract {
 public:
  explicit Extract(const Graph& from) : from_(from) {
    given_.insert(from.bound.begin(), from.bound.end());
    to_.states = from.states;
    to_.prefix_end = from.prefix_end;
    to_.causal = from.causal;
  }

  void add(int id) { moved_[id] = copy(id); }

  /// The part's value `id` must be read by others.
  void bind_export(int id) { bind(id, moved_.at(id)); }

  /// The part computes this output of the graph. `bound`: parts after it use the memory of its values.
  void give(const GraphOutput& out, bool bound) {
    to_.give(moved_.at(out.node), out.name);
    if (bound) bind_export(out.node);
  }
  Graph& graph() { return to_; }
  std::vector<PartValue>& bound() { return bound_; }

 private:
  int copy(int id) {
    const Node& node = from_.node(id);
    std::vector<Tensor> in;
    in.reserve(node.inputs.size());
    for (int i : node.inputs) in.push_back({&to_, local(i)});
    const int out = to_.add(*node.op, node.attrs, in, node.name).id;
    if (given_.contains(id)) bind(id, out);
    return out;
  }

  int local(int id) {
    if (const auto it = moved_.find(id); it != moved_.end()) return it->second;
    const int out = declare(id);
    moved_[id] = out;
    return out;
  }

  int declare(int id) {
    const Node& node = from_.node(id);
    if (node.source == Source::kWeight) return to_.weight(node.name, node.out.tensor()).id;
    if (is_view(node)) return copy(id);
    const int out = to_.input(node.source == Source::kInput ? node.name : fmt::format("value {}", id), node.out).id;
    if (node.source == Source::kOp || given_.contains(id)) bind(id, out);
    return out;
  }

  void bind(int id, int local) {
    if (std::ranges::count(to_.bound, local)) return;
    to_.bound.push_back(local);
    bound_.push_back({id, given_.contains(id)});
  }

  const Graph& from_;
  Graph to_;
  std::set<int> given_;       // values in memory of the caller
  std::map<int, int> moved_;  // value of the whole graph -> of the part
  std::vector<PartValue> bound_;
};

// The values of other parts that node `id` needs: views are made again where they are read.
template <class Fn>
void for_needed(const Graph& graph, int id, Fn fn) {
  for (int in : graph.node(id).inputs) {
    if (graph.node(in).source != Source::kOp) continue;
    if (is_view(graph.node(in)))
      for_needed(graph, in, fn);
    else
      fn(in);
  }
}

}  // namespace

std::vector<GraphPart> split(const Graph& graph, std::span<const size_t> devices) {
  std::vector<int> part_of(static_cast<size_t>(graph.size()), -1);
  std::vector<std::vector<int>> nodes;
  for (int id = 0; id < graph.size(); ++id) {
    if (graph.node(id).source != Source::kOp) continue;
    const size_t device = devices[static_cast<size_t>(id)];
    if (nodes.empty() || devices[static_cast<size_t>(nodes.back().back())] != device) nodes.emplace_back();
    nodes.back().push_back(id);
    part_of[static_cast<size_t>(id)] = static_cast<int>(nodes.size()) - 1;
  }
  std::vector<std::vector<int>> exports(nodes.size());
  for (int id = 0; id < graph.size(); ++id) {
    if (graph.node(id).source != Source::kOp) continue;
    for_needed(graph, id, [&](int in) {
      const int from = part_of[static_cast<size_t>(in)];
      std::vector<int>& out = exports[static_cast<size_t>(from)];
      if (from != part_of[static_cast<size_t>(id)] && !std::ranges::count(out, in)) out.push_back(in);
    });
  }
  std::vector<GraphPart> parts;
  for (size_t p = 0; p < nodes.size(); ++p) {
    Extract part(graph);
    for (int id : nodes[p]) part.add(id);
    for (int id : exports[p]) part.bind_export(id);
    for (const GraphOutput& out : graph.outputs())
      if (part_of[static_cast<size_t>(out.node)] == static_cast<int>(p)) part.give(out, p + 1 < nodes.size());
    parts.push_back({.device = devices[static_cast<size_t>(nodes[p].front())],
                     .graph = std::move(part.graph()),
                     .bound = std::move(part.bound()),
                     .exports = std::move(exports[p])});
  }
  return parts;
}

Graph share_of(const Graph& graph, std::span<const size_t> devices, size_t device) {
  Extract share(graph);
  for (int id = 0; id < graph.size(); ++id)
    if (graph.node(id).source == Source::kOp && devices[static_cast<size_t>(id)] == device) share.add(id);
  return std::move(share.graph());
}

std::vector<size_t> place(const Graph& graph, const Placement& placement, size_t n_devices, const DeviceSupport& supports) {
  std::vector<size_t> devices(static_cast<size_t>(graph.size()));
  const auto wanted = [&](const Node& node) {
    if (!node.name.empty()) return placement(layer_of_name(node.name));
    for (int in : node.inputs)
      if (graph.node(in).source == Source::kOp) return devices[static_cast<size_t>(in)];
    return placement("");
  };
  for (int id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.source != Source::kOp) continue;
    size_t device = wanted(node);
    if (!supports(device, node)) {
      device = 0;
      while (device < n_devices && !supports(device, node)) ++device;
    }
    if (device == n_devices) fail(Errc::kUnsupported, "{} ({}): no device has a kernel for it", node.op->name, node.name);
    devices[static_cast<size_t>(id)] = device;
    for (int in : node.inputs)
      if (graph.node(in).source == Source::kOp && graph.node(in).out.shape.elements() == 0)
        devices[static_cast<size_t>(in)] = device;  // a cache
  }
  return devices;
}

}  // namespace skald
