// CpuMeter: the peaks of the CPU.
#pragma once

#include "backend/backend.h"

namespace skald {

class CpuBackend;

class CpuMeter : public DeviceMeter {
 public:
  explicit CpuMeter(CpuBackend& backend) : backend_(backend) {}
  Roofline measure(double seconds) const override;
  double peak_of(const Graph& graph, const Node& node, const Roofline& roofline) const override;

 private:
  CpuBackend& backend_;
};

}  // namespace skald
