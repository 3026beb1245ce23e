// Locally typical sampling: tokens whose surprise is nearest to the one that is expected, up to a total probability; Meister
// et al., arXiv 2202.00666.
#include "sampling/filter.h"

namespace skald {
namespace {

class TypP : public CopiedFilter<TypP> {
 public:
  explicit TypP(const SamplingParams& p) : p_(static_cast<double>(p.typical_p)), least_(static_cast<size_t>(p.min_keep)) {}
  void apply(const Step& step) override { step.tokens.keep_typical(p_, least_); }

 private:
  double p_;
  size_t least_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  return p.typical_p < 1 ? std::make_unique<TypP>(p) : nullptr;
}

}  // namespace

extern const FilterDef filter_typ_p;
const FilterDef filter_typ_p{.name = "typ_p", .letter = 'y', .other_names = "typical,typical_p,typ", .make = make};

}  // namespace skald
