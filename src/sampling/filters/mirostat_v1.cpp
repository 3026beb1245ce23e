// Mirostat 1: keeps enough tokens that the text's surprise stays at a target, by the exponent of Zipf's law that the most
// likely tokens follow; Basu et al., arXiv 2007.14966.
#include <algorithm>
#include <cmath>

#include "sampling/filter.h"
#include "sampling/surprise.h"

namespace skald {
namespace {

class Mirostat1 : public CopiedFilter<Mirostat1> {
 public:
  explicit Mirostat1(const SamplingParams& p) : surprise_(p) {}

  void apply(const Step& step) override {
    if (step.tokens.size() > 1) {
      const double k = tokens_to_keep(step.tokens);
      if (k < static_cast<double>(step.tokens.size())) step.tokens.keep_best(static_cast<size_t>(std::max(k, 1.0)));
    }
    surprise_.remember(step.tokens);
  }
  void accept(TokenId id) override { surprise_.accept(id); }

 private:
  // Of the first 100 tokens, by least squares: ln p falls by s * ln(rank).
  static double zipf_exponent(const CandidateSet& tokens) {
    constexpr size_t kFirst = 100;
    const std::vector<Candidate> best = tokens.best_of(kFirst);
    double products = 0, squares = 0;
    for (size_t i = 0; i + 1 < best.size(); ++i) {
      const double t = std::log(static_cast<double>(i + 2) / static_cast<double>(i + 1));
      products += t * (best[i].logit - best[i + 1].logit);
      squares += t * t;
    }
    return products / squares;
  }

  double tokens_to_keep(const CandidateSet& tokens) const {
    constexpr double kAlmostNone = 1e-9;
    const double s = zipf_exponent(tokens), e = s - 1, power = std::exp2(surprise_.most());
    const auto n = static_cast<double>(tokens.n_vocab());
    const double base = std::abs(e) < kAlmostNone ? power / std::log(n) : e * power / (1 - std::pow(n, -e));
    const double k = std::pow(base, 1 / s);
    return std::isnan(k) ? 1 : k;
  }

  Surprise surprise_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  return p.mirostat == 1 ? std::make_unique<Mirostat1>(p) : nullptr;
}

}  // namespace

extern const FilterDef filter_mirostat_v1;
const FilterDef filter_mirostat_v1{.name = "mirostat_v1", .place = FilterDef::Place::kInstead, .make = make};

}  // namespace skald
