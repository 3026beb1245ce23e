// PackedWeights: what a model's matmuls read, in panels (quant/panels.h). Made once, for all CPU backends that run the
// model.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "backend/backend.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "tensor/buffer.h"

namespace skald {

/// What is said when a weight has been packed.
struct PackedWeight {
  std::string_view name;
  bool rows_needed;  // by operations other than matmuls
  double done;       // share of all bytes, 0 to 1
};

class PackedWeights {
 public:
  /// Packs every weight that `graph` multiplies by, whose format has panels and that does not lie in them already, with all
  /// threads of `pool`: those who pack a part touch its memory first. `said` may free the weight's rows where they are not
  /// needed. Throws kNoMemory.
  PackedWeights(const Graph& graph, const WeightData& weights, ThreadPool& pool,
                const std::function<void(const PackedWeight&)>& said);

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
