// Fusions: operations that run as one where steps are recorded. Steps that show or measure each operation run them one by
// one. Both ways give the same bits. One file per fusion in backend/gpu/fused.
#pragma once

#include <span>
#include <vector>

#include "backend/gpu/gpu_op.h"
#include "graph/graph.h"
#include "graph/memory_plan.h"

namespace skald::gpu {

/// Who reads the values of a graph, which must outlive it.
class Readers {
 public:
  explicit Readers(const Graph& graph);
  const Graph& graph() const { return graph_; }
  const std::vector<int>& of(int value) const { return readers_[static_cast<size_t>(value)]; }
  /// Whether `reader` reads the value once, and is the only one: steps do not give the value.
  bool is_only(int reader, int value) const;

 private:
  const Graph& graph_;
  std::vector<std::vector<int>> readers_;  // per node
};

/// Whether nothing is launched between the first and the last of these nodes but by them; they are in order.
bool are_neighbours(const Graph& graph, std::span<const int> nodes);

/// A node of those that run as one.
struct FusedNode {
  int id;
  const Node& node;
  GpuOpArgs io;
};

struct GpuFusion {
  /// The nodes that can run as one with `last`, which is the last of them; empty: there are none. They are neighbours.
  std::vector<int> (*match)(const Readers&, int last);
  void (*record)(const GpuContext&, std::span<const FusedNode>);
};

/// Nodes that run as one, in order.
struct Fusion {
  const GpuFusion* how;
  std::vector<int> nodes;
};
/// All of a graph, in order.
std::vector<Fusion> find_fusions(const Graph& graph);
/// For plan_memory.
std::vector<NodeRange> ranges_of(std::span<const Fusion> fusions);

}  // namespace skald::gpu

namespace skald {

using gpu::GpuFusion;
/// Returns all of them, one per file (generated).
std::span<const GpuFusion* const> gpu_fusions();

}  // namespace skald
