#include "backend/cpu/cpu_backend.h"

#include <algorithm>

#include "backend/cpu/exec.h"
#include "graph/lower.h"
#include "kernels/api/tier.h"

namespace skald {

CpuBackend::CpuBackend(int n_threads, std::string_view isa) : kernels_(build_kernel_table(isa)), pool_(n_threads) {}

bool CpuBackend::supports(const OpDef& op) const {
  return std::ranges::any_of(cpu_ops(), [&](const CpuOp* cpu) { return cpu->op == &op; });
}

std::unique_ptr<Program> CpuBackend::compile(const Graph& graph, const WeightData& weights) {
  return std::make_unique<CpuProgram>(*this, lower(graph, [this](const OpDef& op) { return supports(op); }), weights);
}

void CpuBackend::grow(int64_t arena_bytes, int64_t scratch_bytes) {
  if (arena_.size() < arena_bytes) arena_ = Buffer(arena_bytes);
  if (scratch_.size() < scratch_bytes) scratch_ = Buffer(scratch_bytes);
}

}  // namespace skald
