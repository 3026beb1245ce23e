// Splitting: a graph as parts that run one after another, each on one device, with the values that cross between them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace skald {

/// Where a bound value of a part's graph lies.
struct PartValue {
  int node;    // in the whole graph
  bool given;  // the caller of the whole graph has its memory (Graph::bound); else it crosses between parts
};

struct GraphPart {
  size_t device;
  Graph graph;                    // values of other parts are inputs; it gives those of its values that the whole graph does
  std::vector<PartValue> bound;   // as graph.bound has them
  std::vector<int> exports = {};  // nodes of the whole graph that this part computes and others read
};

/// `devices`: one per node, of operations only. Neighbours with one device are one part. A view of another part's value (an
/// operation with view_from) becomes a view of the imported value, so that only whole values cross.
std::vector<GraphPart> split(const Graph& graph, std::span<const size_t> devices);

/// All that one device computes, in one graph: what it must load.
Graph share_of(const Graph& graph, std::span<const size_t> devices, size_t device);

/// Names the device of an operation; nothing: where its first input is, or device 0.
using NodePlacement = std::function<std::optional<size_t>(const Node& node)>;
using Placement = std::function<NodePlacement(const Graph& graph)>;
/// Places each operation with a name by its layer ("blk.3"), or by what lies outside of layers ("").
Placement by_layer(std::function<size_t(std::string_view layer)> device_of);
/// Whether a device has a kernel for the node.
using DeviceSupport = std::function<bool(size_t device, const Node& node)>;

struct NodeDevices {
  std::vector<size_t> devices;  // per node, of operations only
  std::vector<int> moved;       // operations that are elsewhere than they were placed: no kernel, or not their slot
};

/// The device of each operation. One without a kernel where it is placed goes to the first device that has one. All
/// operations on a slot go to one device: that of the first one that reads it, or the first with kernels for all of them.
/// Throws kUnsupported where there is none.
NodeDevices place(const Graph& graph, const Placement& placement, size_t n_devices, const DeviceSupport& supports);

}  // namespace skald
