// BenchRig: a model with a cache of its own, to time steps at any depth.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "engine/compute.h"
#include "tools/random_kv.h"

namespace skald {

/// `n` tokens in steps of `chunk`, behind `depth` random keys and values.
struct BenchSteps {
  int64_t depth = 0, n = 0, chunk = 1;
  bool decode = false;  // sparse where the options say so
};

/// What steps have to do, by the operations' own costs.
struct BenchWork {
  double bytes = 0, flops = 0;
  double ideal_seconds = 0;  // of the arithmetic at the machine's peaks; 0 where these are not known
};

class BenchRig {
 public:
  /// `model` must outlive it; `options` say how many keys there is room for.
  BenchRig(const LoadedModel& model, const ComputeOptions& options);

  Backend& backend() { return compute_.backend(); }
  const SparqParams& sparq() const { return sparq_; }
  /// Fills the cache to the depth, if it is not, then computes; the seconds of the latter. Throws kNoMemory.
  double time(const BenchSteps& steps);
  BenchWork work(const BenchSteps& steps, const Roofline& roofline);

  /// Bytes that the cache holds, and those that it takes for so many keys.
  int64_t held() { return compute_.runner().kv().bytes(); }
  int64_t needed(int64_t keys);
  /// Gives the cache's memory back.
  void forget();

 private:
  bool has_windows();
  void begin_at(int64_t depth);

  SparqParams sparq_;
  Compute compute_;
  KvSequence sequence_;
  RandomKv random_;
  int64_t filled_ = 0;  // keys at the sequence's beginning that no step has appended
  Rng rng_{1};
  std::vector<TokenId> tokens_;
};

}  // namespace skald
