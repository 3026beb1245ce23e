#include "engine/step_cost.h"

#include <algorithm>
#include <limits>

namespace skald {

void StepCost::note(const PromptWork& prompts, bool generates, double seconds) {
  constexpr double kOld = 0.8;  // the weight of an older step, beside one that came next
  if (prompts.rows == 0) {
    if (generates) generating_ = generating_ > 0 ? kOld * generating_ + (1 - kOld) * seconds : seconds;
    return;
  }
  const double took = std::max(0.0, generates ? seconds - generating_ : seconds);
  for (double* sum : {&rr_, &rk_, &kk_, &rs_, &ks_}) *sum *= kOld;
  rr_ += prompts.rows * prompts.rows;
  rk_ += prompts.rows * prompts.keys;
  kk_ += prompts.keys * prompts.keys;
  rs_ += prompts.rows * took;
  ks_ += prompts.keys * took;
  known_ = true;
  fit();
}

// Least squares of seconds = rows * per_row + keys * per_key; rows alone where the steps do not tell both apart.
void StepCost::fit() {
  const double determinant = rr_ * kk_ - rk_ * rk_;
  per_row_ = rs_ / rr_;
  per_key_ = 0;
  if (determinant <= 1e-6 * rr_ * kk_) return;
  const double row = (rs_ * kk_ - ks_ * rk_) / determinant, key = (ks_ * rr_ - rs_ * rk_) / determinant;
  if (key <= 0) return;
  per_row_ = std::max(0.0, row);
  per_key_ = row > 0 ? key : ks_ / kk_;
}

double StepCost::seconds(const PromptWork& prompts) const {
  if (!known_) return std::numeric_limits<double>::infinity();
  return prompts.rows * per_row_ + prompts.keys * per_key_;
}

}  // namespace skald
