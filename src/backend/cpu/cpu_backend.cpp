#include "backend/cpu/cpu_backend.h"

#include <algorithm>

#include "backend/cpu/exec.h"
#include "backend/cpu/roofline.h"
#include "base/cpu_features.h"
#include "graph/lower.h"
#include "graph/ops/attention.h"
#include "graph/ops/linear.h"
#include "kernels/api/tier.h"

namespace skald {

CpuBackend::CpuBackend(int n_threads, std::string_view isa, bool fused)
    : kernels_(build_kernel_table(isa)), pool_(n_threads), fused_(fused) {}

BackendInfo CpuBackend::info() const { return {cpu_name(), kernels_.tier, pool_.size()}; }

bool CpuBackend::supports(const OpDef& op) const {
  if (!fused_ && &op == &op_attention) return false;
  return std::ranges::any_of(cpu_ops(), [&](const CpuOp* cpu) { return cpu->op == &op; });
}

std::unique_ptr<Program> CpuBackend::compile(const Graph& graph, const WeightData& weights) {
  return std::make_unique<CpuProgram>(*this, lower(graph, [this](const OpDef& op) { return supports(op); }), weights);
}

Roofline CpuBackend::measure_roofline(double seconds) { return skald::measure_roofline(pool_, seconds); }

double CpuBackend::peak_of(const Graph& graph, const Node& node, const Roofline& roofline) const {
  if (node.op != &op_linear) return roofline.f32_gflop_per_s;
  switch (kernels_.packed_act[graph.node(node.inputs[1]).out.format->id]) {
    case ActFormat::kQ8:
      return roofline.int8_gop_per_s;
    case ActFormat::kBf16:
      return roofline.bf16_gflop_per_s;
    case ActFormat::kF32:
      break;
  }
  return roofline.f32_gflop_per_s;
}

std::unique_ptr<Backend> make_cpu_backend(int n_threads, bool fused) {
  return std::make_unique<CpuBackend>(n_threads ? n_threads : usable_cpus(), isa_from_environment(), fused);
}

void CpuBackend::grow(int64_t arena_bytes, int64_t scratch_bytes) {
  if (arena_.size() < arena_bytes) arena_ = Buffer(arena_bytes);
  if (scratch_.size() < scratch_bytes) scratch_ = Buffer(scratch_bytes);
}

}  // namespace skald
