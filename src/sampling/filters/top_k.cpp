// top-k: the k most likely tokens.
#include "sampling/filter.h"

namespace skald {
namespace {

class TopK : public CopiedFilter<TopK> {
 public:
  explicit TopK(int k) : k_(static_cast<size_t>(k)) {}
  void apply(const Step& step) override { step.tokens.keep_best(k_); }
  size_t keeps_best() const override { return k_; }

 private:
  size_t k_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  return p.top_k > 0 ? std::make_unique<TopK>(p.top_k) : nullptr;
}

}  // namespace

extern const FilterDef filter_top_k;
const FilterDef filter_top_k{.name = "top_k", .letter = 'k', .make = make};

}  // namespace skald
