// top-p, nucleus sampling: the most likely tokens up to a total probability; Holtzman et al., arXiv 1904.09751.
#include "sampling/filter.h"

namespace skald {
namespace {

class TopP : public CopiedFilter<TopP> {
 public:
  explicit TopP(const SamplingParams& p) : p_(static_cast<double>(p.top_p)), least_(static_cast<size_t>(p.min_keep)) {}
  void apply(const Step& step) override { step.tokens.keep_mass(p_, least_); }

 private:
  double p_;
  size_t least_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) { return p.top_p < 1 ? std::make_unique<TopP>(p) : nullptr; }

}  // namespace

extern const FilterDef filter_top_p;
const FilterDef filter_top_p{.name = "top_p", .letter = 'p', .other_names = "nucleus", .make = make};

}  // namespace skald
