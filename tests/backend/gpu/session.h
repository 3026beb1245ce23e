// Session: steps of sequences on a device for GPUs, replayed or launched one operation after another.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "graph/step_observer.h"
#include "stepping/runner.h"
#include "tests/support/gpu_backend.h"
#include "tests/support/loaded_small_model.h"

namespace skald::test {

/// Sees nothing: steps with an observer are launched one operation after another.
struct Blind : StepObserver {
  void before(const Graph&, const Node&, std::span<const TensorView>) override {}
};

/// Steps of sequences on a device, and all logits that they gave.
class Session {
 public:
  explicit Session(const SmallModel& model, bool replays = true, CacheOptions cache = {}) : model_(load(model)) {
    cache.n_ctx = 1024;
    runner_.emplace(model_->step_model(), *backend_, cache, ScheduleOptions{.n_parallel = 16});
    if (!replays) runner_->observe(&blind_);
    for (int i = 0; i < 16; ++i) sequences_.push_back(runner_->new_sequence());
  }

  struct Part {
    size_t sequence;
    int64_t tokens, outputs = 1;
  };
  void step(const std::vector<Part>& parts) {
    std::vector<std::vector<TokenId>> tokens;
    for (const Part& p : parts) tokens.push_back(some_tokens(p.tokens, ++seed_, model_->n_vocab()));
    std::vector<StepItem> items;
    for (size_t i = 0; i < parts.size(); ++i) items.push_back({&sequences_[parts[i].sequence], tokens[i], parts[i].outputs});
    const Logits logits = runner_->run(items);
    logits_.insert(logits_.end(), logits.all().begin(), logits.all().end());
  }
  void steps(int64_t n, const std::vector<Part>& parts) {
    for (int64_t i = 0; i < n; ++i) step(parts);
  }

  const std::vector<float>& logits() const { return logits_; }
  gpu::DeviceCounts counts() { return backend_->device().counts(); }

 private:
  std::unique_ptr<gpu::GpuBackend> backend_ = gpu_backend();
  std::shared_ptr<const LoadedModel> model_;
  Blind blind_;
  std::optional<Runner> runner_;
  std::vector<KvSequence> sequences_;
  uint64_t seed_ = 0;
  std::vector<float> logits_;
};

}  // namespace skald::test
