// Mirostat 2: drops tokens that would surprise more than a limit, which follows the text's surprise to keep it at a target;
// Basu et al., arXiv 2007.14966.
#include <algorithm>
#include <numbers>

#include "sampling/filter.h"
#include "sampling/surprise.h"

namespace skald {
namespace {

class Mirostat2 : public CopiedFilter<Mirostat2> {
 public:
  explicit Mirostat2(const SamplingParams& p) : surprise_(p) {}

  void apply(const Step& step) override {
    const double least = step.tokens.log_total() - surprise_.most() * std::numbers::ln2;
    if (least <= step.tokens.best())
      step.tokens.keep_at_least(least);
    else
      step.tokens.keep_best(1);
    surprise_.remember(step.tokens);
  }
  void accept(TokenId id) override { surprise_.accept(id); }

 private:
  Surprise surprise_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  return p.mirostat == 2 ? std::make_unique<Mirostat2>(p) : nullptr;
}

}  // namespace

extern const FilterDef filter_mirostat_v2;
const FilterDef filter_mirostat_v2{.name = "mirostat_v2", .place = FilterDef::Place::kInstead, .make = make};

}  // namespace skald
