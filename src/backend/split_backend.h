// SplitBackend: a graph on several backends. Each runs the parts that are placed on it; only values that cross are copied.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "graph/split.h"

namespace skald {

class SplitBackend : public Backend {
 public:
  /// `placement` gives indices into `devices`, which are not empty. An operation without a kernel on its device runs on
  /// another one, with a warning; it is replaced by its smaller form only where no device has a kernel.
  SplitBackend(std::vector<std::unique_ptr<Backend>> devices, Placement placement);

  /// The first device's, with the names of all.
  BackendInfo info() const override;
  std::string placement(const Graph& graph) const override;
  PlacedGraph placed(const Graph& graph) const override;
  bool supports(const Graph& graph, const Node& node) const override;
  std::shared_ptr<const DeviceWeights> load(const Graph& graph, const WeightSource& source) override;
  std::unique_ptr<Program> compile(const Graph& graph, const DeviceWeights& weights) override;
  /// Each device gets the changes of the weights that it multiplies by.
  std::shared_ptr<const DeviceAdapter> adapt(const Graph& graph, std::shared_ptr<const Adapter> adapter) override;
  void share(int64_t n, const std::function<void(int64_t)>& fn) override { devices_.front()->share(n, fn); }
  int64_t work_bytes() const override;
  /// Of each slot, that of the device with its operations.
  std::vector<DeviceMemory*> state_memories(const Graph& graph) override;
  DeviceMemory& memory() override { return devices_.front()->memory(); }
  const DeviceMeter& meter() override { return devices_.front()->meter(); }

 private:
  void tell(const PlacedGraph& placed, std::span<const Graph> shares) const;

  std::vector<std::unique_ptr<Backend>> devices_;
  Placement placement_;
};

}  // namespace skald
