// Compute: a model on a backend, ready to run steps; for tools that need no requests or threads of an engine.
#pragma once

#include <memory>

#include "loading/loaded_model.h"
#include "stepping/runner.h"

namespace skald {

class Compute {
 public:
  /// What `model` refers to must outlive it; `options.cache.n_ctx` is not 0. The instruction set is the best that the
  /// machine has, capped by SKALD_ISA.
  Compute(StepModel model, const EngineOptions& options);
  /// Throws kUnsupported for a model that is not causal, and as load_adapter() does for `options.loras`.
  Compute(const LoadedModel& model, const EngineOptions& options);

  Backend& backend() { return *backend_; }
  Runner& runner() { return runner_; }

 private:
  std::unique_ptr<Backend> backend_;
  Runner runner_;
};

}  // namespace skald
