// Runner: computes steps. Holds the KV pages and one compiled program per size of step.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/device_adapter.h"
#include "backend/sparq_reads.h"
#include "backend/sparq_times.h"
#include "kv/cache.h"
#include "loading/step_model.h"
#include "skald/options.h"
#include "skald/types.h"
#include "stepping/coarse_keys.h"
#include "stepping/sparq_meter.h"
#include "stepping/step_inputs.h"
#include "stepping/stepper.h"

namespace skald {

class Runner : public Stepper {
 public:
  /// Loads the weights. What `model` refers to and `backend` must outlive the runner; `cache.n_ctx` is not 0. Throws
  /// kBadInput for an unknown KV type.
  Runner(StepModel model, Backend& backend, const CacheOptions& cache, const ScheduleOptions& schedule = {});

  void compile() override { program(1, 1); }
  Logits run(std::span<const StepItem> items) override;
  std::shared_ptr<const DeviceAdapter> adapt(std::shared_ptr<const Adapter> adapter) override;
  std::string kv_storage() const override;
  void report(MemoryUse& use) const override;
  SparqUse sparq_use() const override;
  std::vector<SparqLayers> sparq_layers() const override;

  /// How generated rows of the steps to come attend where their item does not say. Throws kUnsupported where the cache is
  /// not laid out for it: it is for the parameters that the runner was made with.
  void set_sparq(const SparqParams& sparq);

  /// Sets the adapters of items that name none, in the steps to come.
  void set_adapters(AdapterMix mix) { own_adapters_ = std::move(mix); }
  const AdapterMix& adapters() const { return own_adapters_; }

  /// Sparse attention of the steps to come adds its times there; null: nowhere.
  void time_sparq(SparqTimes* times) { sparq_times_ = times; }

  /// Sets the observer of the steps to come; null: none. It must outlive these steps.
  void observe(StepObserver* observer) { observer_ = observer; }

  /// The statistics of the last step, for costs.
  const StepStats& last_stats() const { return stats_; }
  /// The program that a step of this size uses; compiles it when it is the first. `shifted`: as in StepCapacity.
  Program& program(int64_t n_tokens, int64_t n_outputs, bool shifted = false) {
    return *compiled(n_tokens, n_outputs, shifted, sparq_.on()).program;
  }

  std::shared_ptr<const DeviceWeights> weights() const override { return weights_; }
  Logits hidden() const override { return hidden_; }
  int64_t n_vocab() const { return model_.n_vocab; }
  KvCache& kv() override { return kv_; }
  const KvCache& kv() const override { return kv_; }

 private:
  struct Compiled {
    std::unique_ptr<Program> program;
    StepInputs inputs;
  };
  /// A way to decode sparsely, and its name in the origin of keys.
  struct Policy {
    SparqParams params;
    uint32_t name;
  };
  Logits compute(std::span<const StepItem> items, const Probe* probe);
  Compiled& compiled(int64_t n_tokens, int64_t n_outputs, bool shifted, bool sparse);
  Compiled& prepare(std::span<const StepItem> items, const Probe* probe);
  void reserve(std::span<const StepItem> items);
  void collect(std::span<const StepItem> items);
  void collect_views(std::span<const StepItem> items);
  SparqPolicy sparq_of(const StepItem& item, const Probe* probe) const;
  uint32_t policy(const SparqParams& params);
  StepObserver* observer();

  StepModel model_;
  Backend& backend_;
  KvStorage storage_;
  std::shared_ptr<const DeviceWeights> weights_;
  KvCache kv_;
  std::vector<bool> bases_;  // of each slot: whether its index has one
  SparqParams sparq_;
  std::vector<Policy> policies_;  // that the cache is laid out for, of the steps until now
  SparqTimes* sparq_times_ = nullptr;
  SparqReads sparq_reads_;
  std::atomic<int64_t> sparq_tokens_ = 0;
  CoarseKeys coarse_keys_;
  SparqMeter meter_;
  std::atomic<int64_t> measured_rows_ = 0, steered_tokens_ = 0;
  std::atomic<double> nats_ = 0;  // that the pilots of those tokens say they lost
  StepObserver* observer_ = nullptr;
  std::map<StepCapacity, Compiled> programs_;

  // The running step; kept to save allocations.
  std::vector<int32_t> positions_, row_seq_;
  std::vector<KvView> views_;
  std::vector<float*> recurrent_;
  std::vector<SparqPolicy> item_sparq_;  // of each item
  std::vector<KeyOrigin> origins_;       // likewise
  std::vector<StepStats::Sequence> sequences_;
  StepStats stats_;
  StepAdapters adapters_;
  AdapterMix own_adapters_;
  Logits hidden_;  // of the last step
};

}  // namespace skald
