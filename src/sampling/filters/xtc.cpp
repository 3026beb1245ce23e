// XTC, "exclude top choices": by chance, of the tokens above a threshold all but the least likely are dropped. As in
// llama.cpp.
#include <cmath>

#include "sampling/filter.h"

namespace skald {
namespace {

constexpr float kMostThreshold = 0.5F;  // two tokens cannot be above a larger one

class Xtc : public CopiedFilter<Xtc> {
 public:
  explicit Xtc(const SamplingParams& p)
      : probability_(static_cast<double>(p.xtc_probability)),
        log_threshold_(std::log(static_cast<double>(p.xtc_threshold))),
        least_(static_cast<size_t>(p.min_keep)) {}

  void apply(const Step& step) override {
    const bool excludes = step.rng.uniform() < probability_;
    if (!excludes || step.tokens.size() < 2) return;
    const size_t above = step.tokens.count_at_least(step.tokens.log_total() + log_threshold_);
    if (above > 1 && step.tokens.size() - (above - 1) >= least_) step.tokens.drop_best(above - 1);
  }

 private:
  double probability_, log_threshold_;
  size_t least_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  return p.xtc_probability > 0 && p.xtc_threshold <= kMostThreshold ? std::make_unique<Xtc>(p) : nullptr;
}

}  // namespace

extern const FilterDef filter_xtc;
const FilterDef filter_xtc{.name = "xtc", .letter = 'x', .make = make};

}  // namespace skald
