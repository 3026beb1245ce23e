// The descriptor of the CPU backend.
#include "backend/backend.h"

#include "backend/cpu/cpu_backend.h"
#include "base/cpu_features.h"
#include "base/log.h"
#include "base/memory.h"
#include "kernels/api/tier.h"

namespace skald {
namespace {

DeviceSummary describe(size_t) {
  return {.name = cpu_name(), .total_bytes = system_memory(), .free_bytes = available_memory()};
}

std::unique_ptr<Backend> make(const DeviceOptions& o) {
  ThreadPlan plan = plan_threads(o, this_machine());
  if (!o.cpu_range.empty() && plan.most() > static_cast<int>(plan.places.size()))
    log(LogLevel::kWarn, "{} threads are more than the CPUs {}; those that share one slow all others down", plan.most(),
        o.cpu_range);
  return std::make_unique<CpuBackend>(std::move(plan), isa_from_environment(), o);
}

}  // namespace

extern const BackendDef backend_cpu;
const BackendDef backend_cpu{.name = "cpu", .describe = describe, .make = make};

}  // namespace skald
