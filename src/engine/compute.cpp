#include "engine/compute.h"

#include "backend/cpu/cpu_backend.h"

namespace skald {

Compute::Compute(const LoadedModel& model, const ComputeOptions& options)
    : backend_(make_cpu_backend(options.threads)), runner_(model, *backend_, options.kv) {}

}  // namespace skald
