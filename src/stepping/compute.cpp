#include "stepping/compute.h"

#include <utility>

#include "backend/backend.h"

namespace skald {
namespace {

KvOptions with_lock(const ComputeOptions& options) {
  KvOptions kv = options.kv;
  kv.lock = options.lock;
  return kv;
}

}  // namespace

Compute::Compute(StepModel model, const ComputeOptions& options)
    : backend_(make_backend(options.device())), runner_(std::move(model), *backend_, with_lock(options)) {}

Compute::Compute(const LoadedModel& model, const ComputeOptions& options) : Compute(model.step_model(), options) {}

}  // namespace skald
