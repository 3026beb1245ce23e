// SparqMeter: measures what sparse decoding loses, on copies of sequences that are thrown away: a trial where a text begins
// to read few of its keys, and checks of single tokens on its way.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "stepping/stepper.h"

namespace skald {

/// How a step is computed that measures.
struct Probe {
  SparqPolicy policy = {};  // of its rows; none: densely
  StepObserver* observer = nullptr;
};

class SparqMeter {
 public:
  /// Computes a step of one item. Throws as Stepper::run does.
  using Compute = std::function<Logits(const StepItem& item, const Probe& probe)>;

  /// `cache`: of the sequences; `bases`: whether each slot's index has one. Both must outlive the meter.
  SparqMeter(const KvCache& cache, const std::vector<bool>& bases, Compute compute)
      : cache_(cache), bases_(bases), compute_(std::move(compute)) {}

  /// Measures what must be known before the step, and begins the pages of its pilots.
  void before(std::span<const StepItem> items);
  /// Ends the checks with the step's own logits.
  void after(std::span<const StepItem> items, const Logits& logits);

  /// Rows whose loss was measured.
  int64_t rows() const { return rows_; }

 private:
  double sparse_layers(const StepItem& item) const;
  void try_out(const StepItem& item);
  template <class Fn>
  void in_steps(const StepItem& item, int64_t rows, Fn fn) const;
  void measure(const StepItem& item);
  double nats_of(const StepItem& item, int64_t rows, KvSequence& few, std::span<const float> dense);
  double divergences(std::span<const float> dense, const Logits& few);
  std::vector<float> check(const StepItem& item) const;
  Logits compute(KvSequence& kv, std::span<const TokenId> tokens, const Probe& probe) const;

  const KvCache& cache_;
  const std::vector<bool>& bases_;
  Compute compute_;
  std::vector<std::vector<float>> checks_;  // (items): dense logits of the first row; empty: it is not checked
  std::vector<float> work_;
  int64_t rows_ = 0;
};

}  // namespace skald
