// The backend of GPUs: weights, arena and programs on one Device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/gpu/memory.h"
#include "base/thread_pool.h"

namespace skald::gpu {

class GpuBackend : public Backend {
 public:
  GpuBackend(std::unique_ptr<Device> device, DeviceOptions options);

  BackendInfo info() const override;
  bool supports(const Graph& graph, const Node& node) const override { return refusal(graph, node).empty(); }
  std::shared_ptr<const DeviceWeights> load(const Graph& graph, const WeightSource& source) override;
  std::unique_ptr<Program> compile(const Graph& graph, const DeviceWeights& weights) override;
  void share(int64_t n, const std::function<void(int64_t)>& fn) override;
  int64_t work_bytes() const override { return arena_ ? arena_->size() : 0; }
  std::vector<DeviceMemory*> state_memories(const Graph& graph) override {
    return std::vector<DeviceMemory*>(graph.states.size(), &memory_);
  }
  DeviceMemory& memory() override { return memory_; }
  const DeviceMeter& meter() override;

  Device& device() { return *device_; }
  /// What a node gives, as it lies in the device's memory.
  ValueDesc on_device(const Node& node) const;
  /// The arena that all programs share, of at least these bytes.
  void grow(int64_t bytes);
  std::byte* arena() const { return arena_->data(); }

 private:
  /// Why the device cannot run the node; empty: it can.
  std::string refusal(const Graph& graph, const Node& node) const;

  std::unique_ptr<Device> device_;
  DeviceOptions options_;
  GpuMemory memory_;
  std::unique_ptr<GpuBuffer> arena_;
  ThreadPool pool_;  // of what the host does between steps
};

}  // namespace skald::gpu
