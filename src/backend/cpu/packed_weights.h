// Weights in panels (quant/panels.h): which of a model's can lie so, and those that were packed, for all CPU backends that
// run the model.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backend/backend.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "quant/panels.h"
#include "tensor/buffer.h"

namespace skald {

/// A weight that matmuls read and that can be packed.
struct PackJob {
  std::string name;
  std::string matmul;  // the node that multiplies by it: "blk.0.attn_q"
  TensorDesc desc;
  const PanelLayout* layout;
  bool rows_needed;  // by operations other than matmuls
};

/// Every weight that `graph` multiplies by, whose format has panels and that does not lie in them already.
std::vector<PackJob> pack_jobs(const Graph& graph, const WeightData& weights);

/// The weight in panels, by all threads of `pool`: those who pack a part touch its memory first. Throws kNoMemory.
Buffer pack(const PackJob& job, const std::byte* rows, ThreadPool& pool);

class PackedWeights {
 public:
  /// `packed` hears of each weight that is done, and the share of all bytes; it may free the rows where they are not needed.
  PackedWeights(const std::vector<PackJob>& jobs, const WeightData& weights, ThreadPool& pool,
                const std::function<void(const PackJob&, double share)>& packed);

  struct Packed {
    Buffer panels;
    bool rows_needed;  // by operations other than matmuls
  };
  /// nullptr for a weight that was not packed.
  const Packed* find(std::string_view name) const;

 private:
  std::unordered_map<std::string, Packed> weights_;
};

}  // namespace skald
