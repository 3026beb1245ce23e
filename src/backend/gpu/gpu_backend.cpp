#include "backend/gpu/gpu_backend.h"

#include <algorithm>
#include <utility>

#include "backend/gpu/gpu_op.h"
#include "backend/gpu/program.h"
#include "backend/gpu/weights.h"
#include "base/cpu_placement.h"
#include "base/error.h"
#include "graph/lower.h"
#include "kernels/api/numerics.h"

namespace skald::gpu {
const GpuOp* find_gpu_op(const OpDef& op) {
  const auto at = std::ranges::find(gpu_ops(), &op, &GpuOp::op);
  return at == gpu_ops().end() ? nullptr : *at;
}

GpuBackend::GpuBackend(std::unique_ptr<Device> device, DeviceOptions options)
    : device_(std::move(device)), options_(std::move(options)), memory_(*device_), meter_(*device_) {}

BackendInfo GpuBackend::info() const {
  const DeviceInfo info = device_->info();
  return {.device = info.name, .isa = info.kind, .numerics = kNumericsVersion};
}

ValueDesc GpuBackend::on_device(const Node& node) const {
  ValueDesc out = node.out;
  if (node.source == Source::kWeight) out.format = &format_on_device(device_->kernels(), *out.format);
  return out;
}

std::string GpuBackend::refusal(const Graph& graph, const Node& node) const {
  const GpuOp* gpu = find_gpu_op(*node.op);
  if (!gpu) return "there is no kernel for it";
  if (node.out.rows == Rows::kFixed && node.out.shape.elements() > 0 && !gpu->fixed_rows)
    return "no kernel computes values without rows";
  if (node.out.shape.rank() > 2) return fmt::format("no kernel gives values of {} dimensions", node.out.shape.rank());
  if (!gpu->refuse) return {};
  std::vector<ValueDesc> in;
  for (const int id : node.inputs) in.push_back(on_device(graph.node(id)));
  return gpu->refuse(device_->kernels(), node.attrs, in);
}

std::shared_ptr<const DeviceWeights> GpuBackend::load(const Graph& graph, const WeightSource& source) {
  // They lie in this device's memory, whose owner they must not outlive.
  ThreadPool pool(plan_threads(options_, this_machine()).most());
  return std::make_shared<const GpuWeights>(*device_, pool, graph, source, options_.on_progress);
}

// What a kernel refuses is an error here: its smaller form would hide it.
std::unique_ptr<Program> GpuBackend::compile(const Graph& graph, const DeviceWeights& weights) {
  const auto* own = dynamic_cast<const GpuWeights*>(&weights);
  SKALD_ASSERT(own);
  const std::string kind = device_->info().kind;
  const auto supported = [&](const Graph& g, const Node& node) {
    const std::string why = refusal(g, node);
    if (!why.empty() && (find_gpu_op(*node.op) || !node.op->expand))
      fail(Errc::kUnsupported, "device {}: {} ({}): {}", kind, node.op->name, node.name, why);
    return why.empty();
  };
  return std::make_unique<GpuProgram>(*this, lower(graph, supported), *own);
}

void GpuBackend::share(int64_t n, const std::function<void(int64_t)>& fn) {
  if (n == 1) return fn(0);
  if (!pool_) pool_.emplace(plan_threads(options_, this_machine()).most());
  pool_->dynamic(n, [&](int64_t i, int) { fn(i); });
}

void GpuBackend::grow(int64_t arena_bytes, int64_t scratch_bytes) {
  grow(arena_, arena_bytes);
  grow(scratch_, scratch_bytes);
}

void GpuBackend::grow(std::unique_ptr<GpuBuffer>& buffer, int64_t bytes) {
  if (bytes_of(buffer) >= bytes) return;
  buffer.reset();
  buffer = std::make_unique<GpuBuffer>(*device_, bytes, Use::kWork);
}

}  // namespace skald::gpu
