// CpuWeights: a model's weights for the CPU: rows where they lie, panels (quant/panels.h) where matmuls read them.
#pragma once

#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backend/cpu/packing.h"
#include "graph/graph.h"
#include "skald/types.h"
#include "tensor/buffer.h"
#include "tensor/weight_source.h"

namespace skald {

class CpuWeights : public DeviceWeights {
 public:
  /// Prepares the weights of `graph`; the memory that `source` names must outlive them. With `repack`, all usable CPUs pack
  /// the weights of matmuls one after another. Rows that nothing else reads go back to the source: at most one weight is
  /// held twice. Throws kBadFile naming a tensor of floats that is packed with a value that is not finite. `progress`
  /// receives the share that is packed, 0 to 1. Weights that would not fit into memory beside their file stay rows, with a
  /// warning.
  CpuWeights(const Graph& graph, const WeightSource& source, bool repack, const OnProgress& on_progress);

  WeightPlace place(std::string_view name) const;
  int64_t bytes() const override;
  /// Keeps them in memory, as far as the system allows; the log tells where it does not. Further calls do nothing.
  void lock() const;

 private:
  struct Weight {
    std::span<const std::byte> rows = {};  // or the file's panels; empty once they are released
    bool in_panels = false;                // the form of `rows`
    Buffer panels = {};                    // empty where it was not packed
  };
  void take(const Node& node, const WeightSource& source);
  void pack(const std::vector<PackJob>& jobs, const Graph& graph, const WeightSource& source, const OnProgress& on_progress);
  /// Returns the bytes that steps read.
  std::vector<std::span<const std::byte>> pieces() const;

  std::unordered_map<std::string, Weight> weights_;
  mutable std::once_flag locked_;
};

}  // namespace skald
