// StaticRunner: computes steps with graphs of fixed shapes. The model is compiled for one token after a window of past keys,
// and for a chunk of a prompt; what a step reads and writes lies in the windows of a StaticKvManager, outside of the graph.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "backend/device_adapter.h"
#include "kv/static_manager.h"
#include "loading/step_model.h"
#include "skald/options.h"
#include "stepping/step_inputs.h"
#include "stepping/stepper.h"

namespace skald {

/// One sequence at a time: a new one takes the windows over from the last. Gives what a Runner gives for a model whose
/// layers all have a sliding window of `context` keys or less, bit for bit (with keys by dimensions in the same format).
class StaticRunner : public Stepper {
 public:
  /// Takes static_shapes and lock of `cache`. What `model` refers to and `backend` must outlive the runner. Bits may also be
  /// 32. Throws kBadInput for parameters that are wrong, too large, or not fit for the model.
  StaticRunner(StepModel model, Backend& backend, const CacheOptions& cache);

  void compile() override;
  KvCache& kv() override { return no_pages_; }
  const KvCache& kv() const override { return no_pages_; }

  /// One item, with at most one output. A sequence of no length begins anew; any other must be the one that ran last.
  Logits run(std::span<const StepItem> items) override;
  std::shared_ptr<const DeviceAdapter> adapt(std::shared_ptr<const Adapter> adapter) override;
  std::shared_ptr<const DeviceWeights> weights() const override { return weights_; }
  std::string kv_storage() const override;
  void report(MemoryUse& use) const override;

  const StaticKvManager& manager() const { return manager_; }

 private:
  void begin(std::span<const TokenId> tokens);
  /// The graph for a number of tokens of the prompt at once.
  struct Compiled {
    std::unique_ptr<Program> program;
    StepInputs inputs;
  };
  Compiled compiled(int64_t tokens) const;
  /// Rows of the prompt that the next step can take: a chunk's, or one.
  int64_t step_rows(int64_t tokens_left) const;
  void check(const StepItem& item) const;
  Logits step(const StepItem& item);
  void bind(int64_t rows);
  void bind(const StaticWindow& window, int64_t rows, float* scale);

  StepModel model_;
  Backend& backend_;
  std::shared_ptr<const DeviceWeights> weights_;
  StaticParams params_;
  StaticKvManager manager_;
  KvCache no_pages_;                     // its sequences only count their tokens
  std::vector<float> scales_;            // (layers, 2): of keys and of values
  std::optional<Compiled> one_, chunk_;  // the latter when a prompt first needs it

  // The running step; kept to save allocations.
  std::vector<BoundValue> bound_;
  StepAdapters adapters_;
};

}  // namespace skald
