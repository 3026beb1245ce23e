#include "backend/cpu/cpu_backend.h"

#include <algorithm>
#include <utility>

#include "backend/cpu/exec.h"
#include "backend/cpu/weights.h"
#include "base/cpu_affinity.h"
#include "base/cpu_features.h"
#include "base/error.h"
#include "graph/lower.h"
#include "graph/ops/attention.h"
#include "kernels/api/numerics.h"
#include "kernels/api/tier.h"

namespace skald {

// Up to this many rows a step takes about the time of one: it reads the weights once, and the memory is the limit. Beyond,
// arithmetic is, which may pay for more threads.
constexpr int64_t kFewRows = 8;

CpuBackend::CpuBackend(ThreadPlan threads, std::string_view isa, DeviceOptions options, std::vector<const CpuOp*> more_ops)
    : kernels_(build_kernel_table(isa, options.exact)),
      threads_(threads.threads),
      threads_batch_(threads.threads_batch),
      pool_(threads.most(), std::move(threads.places)),
      options_(std::move(options)),
      more_ops_(std::move(more_ops)) {}

BackendInfo CpuBackend::info() const {
  return {cpu_name(), kernels_.tier, threads_, threads_batch_, kFewRows, kNumericsVersion};
}

int CpuBackend::threads_for(int64_t rows) const { return rows > kFewRows ? threads_batch_ : threads_; }

bool CpuBackend::supports(const Graph&, const Node& node) const {
  if (!options_.fused && node.op == &op_attention) return false;
  return find_op(*node.op) != nullptr;
}

const CpuOp* CpuBackend::find_op(const OpDef& op) const {
  for (const CpuOp* cpu : cpu_ops())
    if (cpu->op == &op) return cpu;
  const auto more = std::ranges::find(more_ops_, &op, &CpuOp::op);
  return more == more_ops_.end() ? nullptr : *more;
}

// The uses that decide how the weights are kept: those that are there, and those that something is multiplied by.
static std::string uses_of(const Graph& graph) {
  std::string out;
  for (const Node& node : graph.nodes()) {
    if (node.source == Source::kWeight) out += ' ' + node.name;
    if (node.source != Source::kOp) continue;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.op->is_factor(i)) out += " *" + graph.node(node.inputs[i]).name;
  }
  return out;
}

std::shared_ptr<const DeviceWeights> CpuBackend::load(const Graph& graph, const WeightSource& source) {
  const std::string key = (options_.repack ? "cpu, panels of" : "cpu, rows of") + uses_of(graph);
  std::shared_ptr<const DeviceWeights> weights = source.shared(
      key, [&] { return std::make_shared<const CpuWeights>(graph, source, options_.repack, options_.on_progress); });
  if (options_.lock) static_cast<const CpuWeights&>(*weights).lock();
  return weights;
}

std::unique_ptr<Program> CpuBackend::compile(const Graph& graph, const DeviceWeights& weights) {
  const auto* own = dynamic_cast<const CpuWeights*>(&weights);
  SKALD_ASSERT(own);
  return std::make_unique<CpuProgram>(
      *this, lower(graph, [this](const Graph& g, const Node& node) { return supports(g, node); }), *own);
}

std::shared_ptr<const DeviceAdapter> CpuBackend::adapt(const Graph&, std::shared_ptr<const Adapter> adapter) {
  return std::make_shared<const CpuAdapter>(*adapter, sites_);
}

void CpuBackend::share(int64_t n, const std::function<void(int64_t)>& fn) {
  const ScopedFlushDenormals flush;  // as the workers do
  if (n == 1) return fn(0);
  const ScopedAffinity place(pool_.place(0));
  pool_.set_size(threads_for(n));
  pool_.dynamic(n, [&](int64_t i, int) { fn(i); });
}

SumThread& CpuBackend::sums() {
  if (!sums_) sums_ = std::make_unique<SumThread>();
  return *sums_;
}

void CpuBackend::grow(int64_t arena_bytes, int64_t scratch_bytes) {
  if (arena_.size() < arena_bytes) arena_ = Buffer(arena_bytes);
  if (scratch_.size() < scratch_bytes) scratch_ = Buffer(scratch_bytes);
}

}  // namespace skald
