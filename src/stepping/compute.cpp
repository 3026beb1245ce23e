#include "stepping/compute.h"

#include <utility>

#include "backend/backend.h"
#include "stepping/gpu_layers.h"

namespace skald {

Compute::Compute(StepModel model, const EngineOptions& options)
    : backend_(make_backend(options.device)), runner_(std::move(model), *backend_, options.cache, options.schedule) {}

static StepModel writer(const LoadedModel& model) {
  model.want_writer();
  return model.step_model();
}

Compute::Compute(const LoadedModel& model, const EngineOptions& options)
    : Compute(writer(model), with_gpu_layers(model, options)) {}

}  // namespace skald
