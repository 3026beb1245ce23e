#include "engine/make_stepper.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/log.h"
#include "stepping/cache_options.h"
#include "stepping/runner.h"
#include "stepping/static_runner.h"

namespace skald {

int64_t longest_context(const CacheOptions& cache, const LoadedModel& model) {
  if (cache.static_shapes.on()) return cache.n_ctx ? cache.n_ctx : std::numeric_limits<int32_t>::max();
  const int64_t n_ctx = cache.n_ctx ? cache.n_ctx : model.n_ctx_train();
  return cache.total_keys ? std::min(n_ctx, cache.total_keys) : n_ctx;
}

ScheduleOptions with_pages(ScheduleOptions schedule, const CacheOptions& cache, const LoadedModel& model) {
  const bool whole = cache.sparq.on() || model.states().size() > attention_states(model.states()).size();
  const int64_t least = kPageKeys + schedule.n_parallel;
  if (!cache.share_prefixes || !whole || schedule.step_rows() >= least) return schedule;
  log(LogLevel::kInfo, "schedule.n_ubatch: {} tokens instead of {}: prompts of this model are cut at pages of {}", least,
      schedule.step_rows(), kPageKeys);
  schedule.n_batch = std::max(schedule.n_batch, least);
  schedule.n_ubatch = std::max(schedule.n_ubatch, least);
  return schedule;
}

bool keeps_outside(const EngineOptions& o) { return o.prefix_store || o.cache.slot_files; }

// Each graph would be divided by its own layers, and the weights of both lie where they were loaded.
static void want_one_device(const LoadedModel& model, const Backend& backend) {
  if (!backend.placement(model.build_graph({1, 1})).empty())
    fail(Errc::kUnsupported, "draft.kind: mtp does not go with a model on several devices (device.gpu_layers)");
}

std::unique_ptr<Stepper> make_stepper(const LoadedModel& model, Backend& backend, const EngineOptions& o) {
  model.want_writer();
  if (keeps_outside(o)) model.fingerprint();  // while its weights are as they were read
  if (o.cache.static_shapes.on()) return std::make_unique<StaticRunner>(model.step_model(), backend, o.cache);
  CacheOptions cache = with_drafts(o);
  cache.n_ctx = longest_context(cache, model);
  if (o.draft.mtp()) want_one_device(model, backend);
  StepModel steps = o.draft.mtp() ? model.step_model_with_hidden() : model.step_model();
  auto runner = std::make_unique<Runner>(std::move(steps), backend, cache, with_pages(o.schedule, cache, model));
  runner->set_sparq(o.cache.sparq);  // what drafts alone read sparsely, texts do not
  return runner;
}

}  // namespace skald
