// DRY, "don't repeat yourself": a token that would make the end of the text longer that occurred before is the less likely
// the longer that end is; breakers end what counts as a repetition. As in llama.cpp.
#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "sampling/filter.h"

namespace skald {
namespace {

// Sequences by their first token.
using Breakers = std::unordered_map<TokenId, std::vector<std::vector<TokenId>>>;

// How far the text, read backwards, agrees with itself `i` tokens further on, for each i: the Z function (Gusfield, 1997).
std::vector<size_t> agreements(std::span<const TokenId> back) {
  std::vector<size_t> z(back.size(), 0);
  for (size_t i = 1, left = 0, right = 0; i < back.size(); ++i) {
    if (i < right) z[i] = std::min(right - i, z[i - left]);
    while (i + z[i] < back.size() && back[z[i]] == back[i + z[i]]) ++z[i];
    if (i + z[i] > right) {
      left = i;
      right = i + z[i];
    }
  }
  return z;
}

class Dry : public CopiedFilter<Dry> {
 public:
  explicit Dry(const SamplingParams& p)
      : last_n_(p.dry_penalty_last_n),
        allowed_(static_cast<size_t>(p.dry_allowed_length)),
        multiplier_(static_cast<double>(p.dry_multiplier)),
        base_(static_cast<double>(p.dry_base)) {
    constexpr double kLogOfMost = 88.7228391;  // of the largest float
    constexpr double kLeastGrowth = 1.000001;
    if (base_ > kLeastGrowth) most_ = static_cast<size_t>(kLogOfMost / std::log(base_));
    auto breakers = std::make_shared<Breakers>();
    for (const std::vector<TokenId>& b : p.dry_breakers) (*breakers)[b.front()].push_back(b);
    breakers_ = std::move(breakers);
  }

  void apply(const Step& step) override {
    const size_t n = last_n_ < 0 ? step.past.size() : std::min(step.past.size(), static_cast<size_t>(last_n_));
    if (n <= allowed_) return;
    const auto last = step.past.last(n);
    const std::vector<TokenId> back(last.rbegin(), last.rend());
    const size_t limit = until_breaker(back);
    if (limit < allowed_) return;
    for (const auto& [id, length] : repetitions(back, limit)) penalise(step.tokens, id, length);
  }
  bool only_lowers() const override { return multiplier_ >= 0; }

 private:
  // Tokens after the last breaker, counted from the text's end.
  size_t until_breaker(std::span<const TokenId> back) const {
    for (size_t i = 0; i < back.size(); ++i) {
      const auto found = breakers_->find(back[i]);
      if (found == breakers_->end()) continue;
      std::optional<size_t> longest;
      for (const std::vector<TokenId>& b : found->second)
        if (b.size() - 1 <= i &&
            std::equal(b.rbegin(), b.rend(), back.begin() + static_cast<std::ptrdiff_t>(i + 1 - b.size())))
          longest = std::max(longest.value_or(0), b.size() - 1);
      if (longest) return i - *longest;
    }
    return back.size();
  }

  // The tokens that would lengthen a repetition, with its length so far.
  std::unordered_map<TokenId, size_t> repetitions(std::span<const TokenId> back, size_t limit) const {
    std::unordered_map<TokenId, size_t> out;
    const std::vector<size_t> lengths = agreements(back);
    for (size_t i = 1; i < back.size(); ++i) {
      const size_t length = std::min(lengths[i], limit);
      if (length < allowed_) continue;
      size_t& longest = out[back[i - 1]];
      longest = std::max(longest, length);
    }
    return out;
  }

  void penalise(CandidateSet& tokens, TokenId id, size_t length) const {
    const std::optional<double> before = tokens.logit(id);
    if (!before || breaks(id)) return;
    size_t exponent = length - allowed_;
    if (most_ > 0) exponent = std::min(exponent, most_);
    tokens.set(id, *before - multiplier_ * std::pow(base_, static_cast<double>(exponent)), " with its DRY penalty");
  }

  bool breaks(TokenId id) const {
    const auto found = breakers_->find(id);
    return found != breakers_->end() &&
           std::ranges::any_of(found->second, [](const std::vector<TokenId>& b) { return b.size() == 1; });
  }

  int last_n_;
  size_t allowed_, most_ = 0;  // the exponent that the largest float allows; 0: any
  double multiplier_, base_;
  std::shared_ptr<const Breakers> breakers_;
};

std::unique_ptr<SamplingFilter> make(const SamplingParams& p) {
  const bool penalises = p.dry_multiplier != 0 && p.dry_base >= 1 && p.dry_penalty_last_n != 0;
  return penalises ? std::make_unique<Dry>(p) : nullptr;
}

}  // namespace

extern const FilterDef filter_dry;
const FilterDef filter_dry{.name = "dry", .letter = 'd', .reads_past = true, .make = make};

}  // namespace skald
