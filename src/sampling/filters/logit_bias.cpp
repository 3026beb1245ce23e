// Logit bias: added to single tokens' logits before everything else.
#include <algorithm>

#include "sampling/filter.h"

namespace skald {
namespace {

class Bias : public CopiedFilter<Bias> {
 public:
  explicit Bias(std::vector<LogitBias> biases) : biases_(std::move(biases)) {}

  void apply(const Step& step) override {
    for (const LogitBias& b : biases_)
      if (const auto logit = step.tokens.logit(b.id))
        step.tokens.set(b.id, *logit + static_cast<double>(b.bias), " with sampling.logit_bias");
  }
  bool only_lowers() const override {
    return std::ranges::all_of(biases_, [](const LogitBias& b) { return b.bias <= 0; });
  }

 private:
  std::vector<LogitBias> biases_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  return p.logit_bias.empty() ? nullptr : std::make_unique<Bias>(p.logit_bias);
}

}  // namespace

extern const FilterDef filter_logit_bias;
const FilterDef filter_logit_bias{.name = "logit_bias", .place = FilterDef::Place::kBeforeChain, .make = make};

}  // namespace skald
