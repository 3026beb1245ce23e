#include "graph/split.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

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
    to_.slices = from.slices;
    to_.plans = from.plans;
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

/// Finds the device of each operation.
class Places {
 public:
  Places(const Graph& graph, const Placement& placement, size_t n_devices, const DeviceSupport& supports)
      : graph_(graph), placement_(placement(graph)), n_devices_(n_devices), supports_(supports) {}

  NodeDevices find() {
    place_all();
    std::map<int64_t, std::vector<int>> users;
    for (int id = 0; id < graph_.size(); ++id)
      if (const int64_t slot = slot_of(graph_.node(id)); slot >= 0) users[slot].push_back(id);
    for (const auto& [slot, ids] : users) homes_[slot] = home_of(ids);
    place_all();  // with what follows those that moved
    std::vector<int> moved;
    for (int id = 0; id < graph_.size(); ++id)
      if (graph_.node(id).source == Source::kOp && devices_[static_cast<size_t>(id)] != wanted(graph_.node(id)))
        moved.push_back(id);
    return {std::move(devices_), std::move(moved)};
  }

 private:
  void place_all() {
    devices_.assign(static_cast<size_t>(graph_.size()), 0);
    for (int id = 0; id < graph_.size(); ++id)
      if (graph_.node(id).source == Source::kOp) devices_[static_cast<size_t>(id)] = place(graph_.node(id));
  }

  size_t place(const Node& node) const {
    if (const auto home = homes_.find(slot_of(node)); home != homes_.end()) return home->second;
    const auto can = [&](size_t device) { return supports_(device, node); };
    const size_t device = wanted(node);
    return can(device) ? device : first_that(can, node, "");
  }

  size_t wanted(const Node& node) const {
    if (const std::optional<size_t> device = placement_(node)) return *device;
    for (int in : node.inputs)
      if (graph_.node(in).source == Source::kOp) return devices_[static_cast<size_t>(in)];
    return 0;
  }

  // Of a slot with these operations.
  size_t home_of(std::span<const int> users) const {
    const auto reads = [&](int id) { return graph_.node(id).out.shape.elements() > 0; };
    const auto can = [&](size_t device) {
      return std::ranges::all_of(users, [&](int id) { return supports_(device, graph_.node(id)); });
    };
    const auto reader = std::ranges::find_if(users, reads);
    const int first = reader == users.end() ? users.front() : *reader;
    const size_t device = devices_[static_cast<size_t>(first)];
    return can(device) ? device : first_that(can, graph_.node(first), " and for all that use its slot");
  }

  template <class Fn>
  size_t first_that(Fn can, const Node& node, std::string_view more) const {
    for (size_t device = 0; device < n_devices_; ++device)
      if (can(device)) return device;
    fail(Errc::kUnsupported, "{} ({}): no device has a kernel for it{}", node.op->name, node.name, more);
  }

  const Graph& graph_;
  NodePlacement placement_;
  size_t n_devices_;
  const DeviceSupport& supports_;
  std::vector<size_t> devices_;      // (nodes)
  std::map<int64_t, size_t> homes_;  // of slots, as far as they are known
};

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

Placement by_layer(std::function<size_t(std::string_view layer)> device_of) {
  return [device_of = std::move(device_of)](const Graph&) -> NodePlacement {
    return [device_of](const Node& node) -> std::optional<size_t> {
      if (node.name.empty()) return std::nullopt;
      return device_of(layer_of_name(node.name));
    };
  };
}

NodeDevices place(const Graph& graph, const Placement& placement, size_t n_devices, const DeviceSupport& supports) {
  return Places(graph, placement, n_devices, supports).find();
}

}  // namespace skald
