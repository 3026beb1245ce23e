// Compute: a model on a backend, ready to run steps; for tools that need no requests or threads of an engine.
#pragma once

#include <memory>

#include "engine/loaded_model.h"
#include "engine/runner.h"

namespace skald {

struct ComputeOptions {
  int threads = 0;       // 0: one per usable CPU
  int64_t ubatch = 512;  // most tokens computed at once
  KvOptions kv = {};
  bool fused = true;  // false: attention as matmul, mask, softmax, matmul
};

class Compute {
 public:
  /// What `model` refers to must outlive it. The instruction set is the best that the machine has, capped by SKALD_ISA.
  Compute(StepModel model, const ComputeOptions& options);
  Compute(const LoadedModel& model, const ComputeOptions& options) : Compute(model.step_model(), options) {}

  Backend& backend() { return *backend_; }
  Runner& runner() { return runner_; }

 private:
  std::unique_ptr<Backend> backend_;
  Runner runner_;
};

}  // namespace skald
