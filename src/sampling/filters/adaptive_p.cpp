// adaptive-p: tokens are the likelier the nearer their probability is to a goal, which keeps the average probability of what
// was chosen at a target. As in llama.cpp.
#include <algorithm>

#include "sampling/filter.h"

namespace skald {
namespace {

class AdaptiveP : public CopiedFilter<AdaptiveP> {
 public:
  explicit AdaptiveP(const SamplingParams& p)
      : target_(static_cast<double>(p.adaptive_target)),
        decay_(std::min(static_cast<double>(p.adaptive_decay), kMostDecay)),
        sum_(target_ / (1 - decay_)),
        weight_(1 / (1 - decay_)) {}

  void apply(const Step& step) override { step.tokens.favour(std::clamp(2 * target_ - sum_ / weight_, 0.0, 1.0), before_); }

  void accept(TokenId id) override {
    if (before_.empty()) return;
    sum_ = before_.of(id) + decay_ * sum_;
    weight_ = 1 + decay_ * weight_;
  }

 private:
  static constexpr double kMostDecay = 0.99;

  double target_, decay_, sum_, weight_;  // of probabilities that were chosen, the last ones counting most
  CandidateSet::Shares before_;           // in the last step
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  return p.adaptive_target >= 0 ? std::make_unique<AdaptiveP>(p) : nullptr;
}

}  // namespace

extern const FilterDef filter_adaptive_p;
const FilterDef filter_adaptive_p{.name = "adaptive_p", .letter = 'a', .place = FilterDef::Place::kAfterChain, .make = make};

}  // namespace skald
