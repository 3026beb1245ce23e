#include "stepping/ranks.h"

#include "backend/backend.h"
#include "backend/ranks/follower.h"
#include "backend/ranks/share.h"
#include "base/error.h"

namespace skald {

void follow_first_rank(const LoadedModel& model, const DeviceOptions& options) {
  DeviceOptions alone = options;
  alone.group = nullptr;
  const std::unique_ptr<Backend> backend = make_backend(alone);
  const StepModel steps = model.step_model();
  follow(*options.group, *backend, {steps.graph, steps.weights, options_of_ranks(options)}, cut_of(options));
}

void release_ranks(Group& group) {
  try {
    stop_followers(group);
  } catch (const Error&) {  // that broke it was told already
  }
}

}  // namespace skald
