#include "backend/cpu/meter.h"

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/roofline.h"
#include "base/cpu_affinity.h"

namespace skald {

Roofline CpuMeter::measure(double seconds) const {
  const ScopedAffinity place(backend_.pool().place(0));
  backend_.pool().set_size(backend_.pool().capacity());
  return measure_roofline(backend_.pool(), seconds);
}

double CpuMeter::peak_of(const Graph& graph, const Node& node, const Roofline& roofline) const {
  if (!node.op->matmul) return roofline.f32_gflop_per_s;
  switch (backend_.kernels().packed_act[graph.node(node.inputs[1]).out.format->id]) {
    case ActFormat::kQ8:
      return roofline.int8_gop_per_s;
    case ActFormat::kQ16:
      return roofline.int16_gop_per_s;
    case ActFormat::kBf16:
      return roofline.bf16_gflop_per_s;
    case ActFormat::kF32:
      break;
  }
  return roofline.f32_gflop_per_s;
}

}  // namespace skald
