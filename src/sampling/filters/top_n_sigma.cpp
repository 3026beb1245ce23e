// top-n-sigma: logits within n standard deviations of the best; Tang et al., arXiv 2411.07641.
#include "sampling/filter.h"

namespace skald {
namespace {

class TopNSigma : public CopiedFilter<TopNSigma> {
 public:
  explicit TopNSigma(float n) : n_(static_cast<double>(n)) {}
  void apply(const Step& step) override {
    if (step.tokens.size() > 1) step.tokens.keep_at_least(step.tokens.best() - n_ * step.tokens.deviation());
  }

 private:
  double n_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  return p.top_n_sigma > 0 ? std::make_unique<TopNSigma>(p.top_n_sigma) : nullptr;
}

}  // namespace

extern const FilterDef filter_top_n_sigma;
const FilterDef filter_top_n_sigma{.name = "top_n_sigma", .letter = 's', .other_names = "top_nsigma", .make = make};

}  // namespace skald
