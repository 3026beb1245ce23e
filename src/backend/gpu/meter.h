// GpuMeter: what a device reads and multiplies at most, by kernels that do nothing else.
#pragma once

#include "backend/backend.h"
#include "backend/gpu/device.h"

namespace skald::gpu {

class GpuMeter : public DeviceMeter {
 public:
  /// The device must outlive it.
  explicit GpuMeter(Device& device) : device_(device) {}
  /// Nothing of an emulated device.
  Roofline measure(double seconds) const override;
  /// Of products by the matrix units; 0 for other operations.
  double peak_of(const Graph& graph, const Node& node, const Roofline& roofline) const override;

 private:
  double read_rate(double seconds) const;
  double multiply_rate(Launch<MultiplyArgs> launch, uint32_t word, double operations, double seconds) const;
  double seconds_of_one(const std::function<void()>& launch, double seconds) const;

  Device& device_;
};

}  // namespace skald::gpu
