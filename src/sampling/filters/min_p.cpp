// min-p: tokens that are not much less likely than the best; Nguyen et al., arXiv 2407.01082.
#include <cmath>

#include "sampling/filter.h"

namespace skald {
namespace {

class MinP : public CopiedFilter<MinP> {
 public:
  explicit MinP(const SamplingParams& p)
      : log_p_(std::log(static_cast<double>(p.min_p))), least_(static_cast<size_t>(p.min_keep)) {}
  void apply(const Step& step) override {
    const double bound = step.tokens.best() + log_p_;
    if (least_ > 1 && step.tokens.count_at_least(bound) < least_) return step.tokens.keep_best(least_);
    step.tokens.keep_at_least(bound);
  }

 private:
  double log_p_;
  size_t least_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) { return p.min_p > 0 ? std::make_unique<MinP>(p) : nullptr; }

}  // namespace

extern const FilterDef filter_min_p;
const FilterDef filter_min_p{.name = "min_p", .letter = 'm', .make = make};

}  // namespace skald
