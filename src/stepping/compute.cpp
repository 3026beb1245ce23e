#include "stepping/compute.h"

#include <utility>

#include "backend/cpu/cpu_backend.h"
#include "loading/lock_weights.h"

namespace skald {
namespace {

KvOptions with_lock(const ComputeOptions& options) {
  KvOptions kv = options.kv;
  kv.lock = options.lock;
  return kv;
}

}  // namespace

Compute::Compute(StepModel model, const ComputeOptions& options)
    : backend_(make_cpu_backend(options.thread_options(), options.fused)),
      runner_(std::move(model), *backend_, with_lock(options)) {}

Compute::Compute(const LoadedModel& model, const ComputeOptions& options) : Compute(model.step_model(), options) {
  if (options.lock) lock_weights(model);
}

}  // namespace skald
