// Penalties: tokens of the recent text become less likely. Positive logits are divided by the repeat penalty, others
// multiplied, then presence + count * frequency is subtracted. As in llama.cpp.
#include <algorithm>
#include <unordered_map>

#include "sampling/filter.h"

namespace skald {
namespace {

class Penalties : public CopiedFilter<Penalties> {
 public:
  explicit Penalties(const SamplingParams& p)
      : last_n_(p.repeat_last_n),
        repeat_(static_cast<double>(p.repeat_penalty)),
        presence_(static_cast<double>(p.presence_penalty)),
        frequency_(static_cast<double>(p.frequency_penalty)) {}

  void apply(const Step& step) override {
    const size_t n = last_n_ < 0 ? step.past.size() : std::min(step.past.size(), static_cast<size_t>(last_n_));
    std::unordered_map<TokenId, int> counts;
    for (const TokenId id : step.past.last(n)) ++counts[id];
    for (const auto& [id, count] : counts) {
      const std::optional<double> before = step.tokens.logit(id);
      if (!before) continue;
      const double repeated = *before <= 0 ? *before * repeat_ : *before / repeat_;
      step.tokens.set(id, repeated - count * frequency_ - presence_, " with its penalties");
    }
  }
  bool only_lowers() const override { return repeat_ >= 1 && presence_ >= 0 && frequency_ >= 0; }

 private:
  int last_n_;
  double repeat_, presence_, frequency_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  const bool changes = p.repeat_penalty != 1 || p.presence_penalty != 0 || p.frequency_penalty != 0;
  return changes && p.repeat_last_n != 0 ? std::make_unique<Penalties>(p) : nullptr;
}

}  // namespace

extern const FilterDef filter_penalties;
const FilterDef filter_penalties{.name = "penalties", .letter = 'e', .reads_past = true, .make = make};

}  // namespace skald
