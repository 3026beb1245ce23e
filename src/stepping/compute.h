// Compute: a model on a backend, ready to run steps; for tools that need no requests or threads of an engine.
#pragma once

#include <memory>
#include <string>

#include "base/cpu_placement.h"
#include "loading/loaded_model.h"
#include "stepping/runner.h"

namespace skald {

struct ComputeOptions {
  int threads = 0;       // and the others as in ThreadOptions
  int64_t ubatch = 512;  // most tokens computed at once
  KvOptions kv = {};
  bool fused = true;  // false: attention as matmul, mask, softmax, matmul
  int threads_batch = 0;
  std::string cpu_range = {}, numa = {};
  bool lock = false;  // keep weights and cache in memory

  bool repack = true;  // these as in DeviceOptions
  std::function<void(double)> progress = {};

  DeviceOptions device() const {
    return {.n_threads = threads,
            .n_threads_batch = threads_batch,
            .cpu_range = cpu_range,
            .numa = numa,
            .fused = fused,
            .repack = repack,
            .progress = progress};
  }
  ThreadOptions thread_options() const {
    return {.threads = threads, .threads_batch = threads_batch, .cpu_range = cpu_range, .numa = numa};
  }
};

class Compute {
 public:
  /// What `model` refers to must outlive it. The instruction set is the best that the machine has, capped by SKALD_ISA.
  Compute(StepModel model, const ComputeOptions& options);
  Compute(const LoadedModel& model, const ComputeOptions& options);

  Backend& backend() { return *backend_; }
  Runner& runner() { return runner_; }

 private:
  std::unique_ptr<Backend> backend_;
  Runner runner_;
};

}  // namespace skald
