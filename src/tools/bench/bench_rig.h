// BenchRig: a model with a cache of its own, to time steps at any depth.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "stepping/compute.h"
#include "tools/bench/random_kv.h"

namespace skald {

/// `n` tokens of each of `batch` sequences in steps of `chunk`, after `depth` random keys and values.
struct BenchSteps {
  int64_t depth = 0, n = 0, chunk = 1;
  bool decode = false;  // sparse where the options say so
  int64_t batch = 1;    // sequences, which are in every step together
};

/// The work of steps, by the operations' own costs.
struct BenchWork {
  double bytes = 0, flops = 0;
  double ideal_seconds = 0;  // of the arithmetic at the machine's peaks; 0 where these are not known
};

class BenchRig {
 public:
  /// `model` must outlive it; `options` say how many sequences of how many keys there is room for. `adapter_each`: each
  /// sequence has one of the adapters, in turn, instead of all.
  BenchRig(const LoadedModel& model, const EngineOptions& options, bool adapter_each = false);

  Backend& backend() { return compute_.backend(); }
  const SparqParams& sparq() const { return sparq_; }
  /// Fills the caches to the depth, where they are not, then computes; the seconds of the latter. Throws kNoMemory.
  double time(const BenchSteps& steps);
  /// Returns the seconds that default samplers take for the logits of the last step, one for each sequence, on all threads.
  double time_sampling();
  BenchWork work(const BenchSteps& steps, const Roofline& roofline);

  /// Returns the bytes that the cache holds, and those that it takes for `batch` sequences of this many keys.
  int64_t held() { return compute_.runner().kv().bytes(); }
  int64_t needed(int64_t keys, int64_t batch);
  /// Gives the cache's memory back.
  void forget();

 private:
  struct Sequence {
    KvSequence kv;
    int64_t filled = 0;                // keys at its beginning that no step has appended
    std::vector<TokenId> tokens = {};  // of the step
    AdapterMix adapters = {};
  };
  bool has_windows();
  void begin_at(int64_t depth, Sequence& sequence);
  void step(std::span<Sequence> sequences, int64_t n, bool decode);

  SparqParams sparq_;
  Compute compute_;
  std::vector<Sequence> sequences_;
  RandomKv random_;
  Rng rng_{1};
  std::vector<StepItem> items_;
  Logits logits_;  // of the last step
};

}  // namespace skald
