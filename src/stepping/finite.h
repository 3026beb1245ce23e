// Logits that are NaN or infinite end a step: a text drawn from them means nothing.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "graph/step_observer.h"
#include "stepping/logits.h"

namespace skald {

/// Whether no value is NaN or infinite.
bool all_finite(std::span<const float> values);
bool all_finite(const Logits& logits);

/// Sees a step and notes the first place where a value is NaN or infinite: a weight, or else the operation that gave it.
class NonFiniteFinder : public StepObserver {
 public:
  /// `positions` of the step's rows; may be empty.
  explicit NonFiniteFinder(std::span<const int32_t> positions) : positions_(positions) {}

  void before(const Graph& graph, const Node& node, std::span<const TensorView> in) override;
  /// "tensor output_norm.weight"; "operation rms_norm blk.3.attn_norm, token 17". Empty: not seen.
  const std::string& where() const { return where_; }

 private:
  std::span<const int32_t> positions_;
  std::string where_;
};

/// The logits of a step, which `run` computes, for the observer if it gets one. Throws kBadFile, saying where it arose, when
/// a value that is rounded or one of the logits is not finite: the step is then computed once more. `given`: whether the
/// step gives logits.
Logits finite_logits(const std::function<StepOutput(StepObserver* observer)>& run, std::span<const int32_t> positions,
                     bool given = true);

}  // namespace skald
