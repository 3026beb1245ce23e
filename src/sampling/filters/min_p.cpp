// min-p: tokens that are not much less likely than the best; Nguyen et al., arXiv 2407.01082.
#include <cmath>

#include "sampling/filter.h"

namespace skald {
namespace {

class MinP : public CopiedFilter<MinP> {
 public:
  explicit MinP(float p) : log_p_(std::log(static_cast<double>(p))) {}
  void apply(const Step& step) override { step.tokens.keep_at_least(step.tokens.best() + log_p_); }

 private:
  double log_p_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  return p.min_p > 0 ? std::make_unique<MinP>(p.min_p) : nullptr;
}

}  // namespace

extern const FilterDef filter_min_p;
const FilterDef filter_min_p{.name = "min_p", .make = make};

}  // namespace skald
