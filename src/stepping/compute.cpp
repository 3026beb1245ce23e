#include "stepping/compute.h"

#include <utility>

#include "backend/backend.h"
#include "base/error.h"
#include "loading/load_adapter.h"
#include "stepping/gpu_layers.h"

namespace skald {

Compute::Compute(StepModel model, const EngineOptions& options)
    : backend_(make_backend(options.device)), runner_(std::move(model), *backend_, options.cache, options.schedule) {}

static StepModel writer(const LoadedModel& model) {
  model.want_writer();
  return model.step_model();
}

// There is no prompt to look for invocations in.
static AdapterMix mix_of(const LoadedModel& model, const EngineOptions& options, Runner& runner) {
  AdapterMix out;
  for (const LoraFile& file : options.loras) {
    const std::shared_ptr<const Adapter> adapter = load_adapter(model, file.path);
    if (!adapter->invocation.empty())
      fail(Errc::kUnsupported, "{}: it acts after its invocation tokens, for which only prompts are searched", file.path);
    if (file.scale != 0) out.uses.push_back({runner.adapt(adapter), file.scale});
  }
  return out;
}

Compute::Compute(const LoadedModel& model, const EngineOptions& options)
    : Compute(writer(model), with_gpu_layers(model, options)) {
  runner_.set_adapters(mix_of(model, options, runner_));
}

}  // namespace skald
