// CoarseKeys: what a cache's type of keys loses of a model's keys, measured while the first prompt is read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/step_observer.h"
#include "kv/spec.h"

namespace skald {

/// Sees steps. Rounds the first keys of each attention as the cache does. What is the same in all keys moves all scores of a
/// query alike, and softmax takes no notice: the rounding errors and the keys are compared without it.
class CoarseKeys : public StepObserver {
 public:
  /// Keys of each attention that are looked at.
  static constexpr int64_t kKeys = 64;

  /// `spec`: of the cache, which must outlive the object.
  explicit CoarseKeys(const KvSpec& spec);

  void before(const Graph& graph, const Node& node, std::span<const TensorView> in) override;
  /// Returns whether an attention has seen all of its keys, after a whole step: some may have none. Where keys are not
  /// rounded by rows, there is nothing to see.
  bool done() const { return done_; }
  /// Warns in the log of what is lost, if it is much.
  void tell() const;

 private:
  /// Vectors of a head, or their errors.
  struct Sums {
    std::vector<double> sums = {};
    double squares = 0;
    void add(std::span<const float> x);
    /// Returns the sum of |x - mean|^2 over the n vectors that were added.
    double spread(int64_t n) const;
  };
  struct Head {
    Sums keys, errors;
  };
  struct Slot {
    int64_t n = 0;
    std::vector<Head> heads = {};
  };
  void add(Head& to, std::span<const float> key);
  std::vector<double> shares() const;

  const KvSpec& spec_;
  std::vector<Slot> slots_;
  bool done_ = true;
  std::vector<float> key_, rounded_;
  std::vector<std::byte> stored_;
};

}  // namespace skald
