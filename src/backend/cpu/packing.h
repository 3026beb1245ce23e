// Packing weights into panels (quant/panels.h): which weights of a graph can lie so, and how one gets there.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "graph/graph.h"
#include "quant/panels.h"
#include "tensor/buffer.h"
#include "tensor/weight_source.h"

namespace skald {

/// A weight that matmuls read and that can be packed.
struct PackJob {
  int node;  // of the graph
  std::string name;
  std::string matmul;  // the node that multiplies by it: "blk.0.attn_q"
  TensorDesc desc;
  const PanelLayout* layout;
  bool rows_needed;  // by operations other than matmuls
};

/// Every weight that `graph` multiplies by, whose format has panels and that does not lie in them already.
std::vector<PackJob> pack_jobs(const Graph& graph, const std::function<bool(std::string_view name)>& in_panels);

/// Returns the weight in panels, by all threads of `pool`: a thread that packs a part touches its memory first. Throws
/// kNoMemory.
Buffer pack(const PackJob& job, const std::byte* rows, ThreadPool& pool);

}  // namespace skald
