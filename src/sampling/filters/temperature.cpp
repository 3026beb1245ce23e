// Temperature: logits are divided by it; 0 leaves the most likely token. A dynamic one follows the entropy of the
// distribution as a share of the largest there could be; Zhang et al., arXiv 2403.14541.
#include <algorithm>
#include <cmath>

#include "sampling/filter.h"

namespace skald {
namespace {

// A factor beyond the floats leaves nothing beside the best either.
bool leaves_the_best(double temperature) { return !(temperature > 1e-30); }

void divide(CandidateSet& tokens, double temperature) {
  if (!leaves_the_best(temperature))
    tokens.scale(1 / temperature);
  else
    tokens.keep_best(1);
}

class Temperature : public CopiedFilter<Temperature> {
 public:
  explicit Temperature(float t) : t_(static_cast<double>(t)) {}
  void apply(const Step& step) override { divide(step.tokens, t_); }
  size_t keeps_best() const override { return leaves_the_best(t_) ? 1 : 0; }
  bool only_lowers() const override { return !leaves_the_best(t_); }

 private:
  double t_;
};

class DynamicTemperature : public CopiedFilter<DynamicTemperature> {
 public:
  explicit DynamicTemperature(const SamplingParams& p)
      : low_(std::max(0.0, static_cast<double>(p.temperature) - static_cast<double>(p.dynatemp_range))),
        high_(static_cast<double>(p.temperature) + static_cast<double>(p.dynatemp_range)),
        exponent_(static_cast<double>(p.dynatemp_exponent)) {}

  void apply(const Step& step) override {
    if (step.tokens.size() < 2) return;
    const double share = std::max(0.0, step.tokens.entropy() / std::log(static_cast<double>(step.tokens.size())));
    divide(step.tokens, low_ + (high_ - low_) * std::pow(share, exponent_));
  }

 private:
  double low_, high_, exponent_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  if (p.dynatemp_range > 0 && p.mirostat == 0) return std::make_unique<DynamicTemperature>(p);
  return p.temperature != 1 ? std::make_unique<Temperature>(p.temperature) : nullptr;
}

}  // namespace

extern const FilterDef filter_temperature;
const FilterDef filter_temperature{.name = "temperature", .letter = 't', .other_names = "temp", .make = make};

}  // namespace skald
