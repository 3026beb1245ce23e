#include "stepping/compute.h"

#include <utility>

#include "backend/backend.h"

namespace skald {

Compute::Compute(StepModel model, const EngineOptions& options)
    : backend_(make_backend(options.device)), runner_(std::move(model), *backend_, options.cache, options.schedule) {}

Compute::Compute(const LoadedModel& model, const EngineOptions& options) : Compute(model.step_model(), options) {}

}  // namespace skald
