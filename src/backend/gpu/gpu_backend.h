// The backend of GPUs: weights, arena and programs on one Device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/gpu/memory.h"
#include "backend/gpu/meter.h"
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
  int64_t work_bytes() const override { return bytes_of(arena_) + bytes_of(scratch_); }
  std::vector<DeviceMemory*> state_memories(const Graph& graph) override {
    return std::vector<DeviceMemory*>(graph.states.size(), &memory_);
  }
  DeviceMemory& memory() override { return memory_; }
  const DeviceMeter& meter() override { return meter_; }

  Device& device() { return *device_; }
  /// What a node gives, as it lies in the device's memory.
  ValueDesc on_device(const Node& node) const;
  /// The arena and the scratch that all programs share, grown to at least these bytes.
  void grow(int64_t arena_bytes, int64_t scratch_bytes);
  std::byte* arena() const { return arena_ ? arena_->data() : nullptr; }
  std::byte* scratch() const { return scratch_ ? scratch_->data() : nullptr; }

 private:
  static int64_t bytes_of(const std::unique_ptr<GpuBuffer>& buffer) { return buffer ? buffer->size() : 0; }
  void grow(std::unique_ptr<GpuBuffer>& buffer, int64_t bytes);
  /// Why the device cannot run the node; empty: it can.
  std::string refusal(const Graph& graph, const Node& node) const;

  std::unique_ptr<Device> device_;
  DeviceOptions options_;
  GpuMemory memory_;
  GpuMeter meter_;
  std::unique_ptr<GpuBuffer> arena_, scratch_;
  std::optional<ThreadPool> pool_;  // of what the host does between steps, once it is asked for: not in a split
};

}  // namespace skald::gpu
