#include "engine/compute.h"

#include <utility>

#include "backend/cpu/cpu_backend.h"

namespace skald {

Compute::Compute(StepModel model, const ComputeOptions& options)
    : backend_(make_cpu_backend(options.threads, options.fused)), runner_(std::move(model), *backend_, options.kv) {}

}  // namespace skald
