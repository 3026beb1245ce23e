#include "stepping/sparq_pilot.h"

#include <algorithm>
#include <cmath>

namespace skald {
namespace {

// A loss grows with this power of the ratio: 0.7 to 3 on three models (docs/long-context.md).
constexpr double kPower = 2;
// Rows are measured beside dense ones that see the same keys. Those of a whole text see keys that sparse rows have made,
// too, and lose more by them, the more layers are sparse: 2.2 to 3.6 times as much where all are, 1.3 to 1.8 times where
// one in six is (docs/design/sparse-decoding.md).
constexpr double kOfText = 1.9;
// The mean of few rows is uncertain: a part of the loss is left unused.
constexpr double kAim = 0.9;
// The least and the greatest scale of the ratio that a loss allows.
constexpr double kLeastScale = 0.05, kMostScale = 4;

// What a trial counts beside a check: its rows are neighbours, which tell less. Older rows tell less, too.
constexpr double kTrialWeight = 0.125, kFade = 0.99;
// Before anything was measured, a loss is taken to be as on the model of docs/long-context.md.
constexpr double kPriorWeight = 2;

// A share grows with this power of a head's loss. 0.25 and 0.12 lose more: few rows measure each head, and the largest
// losses are overrated (docs/design/sparse-decoding.md).
constexpr double kSharePower = 0.18;
constexpr double kLeastShare = 1.0 / 3, kMostShare = 4;
constexpr int kRounds = 16;

}  // namespace

std::vector<float> shares_of(std::span<const HeadLoss> losses) {
  std::vector<float> shares(losses.size(), 1);
  const auto measured = [&](size_t i) { return losses[i].loss > 0 && losses[i].weight > 0; };
  for (size_t i = 0; i < losses.size(); ++i)
    if (measured(i)) shares[i] = static_cast<float>(std::pow(losses[i].loss, kSharePower));
  // Cutting shares changes their mean.
  for (int round = 0; round < kRounds; ++round) {
    double sum = 0, weight = 0;
    for (size_t i = 0; i < losses.size(); ++i)
      if (measured(i)) {
        sum += losses[i].weight * static_cast<double>(shares[i]);
        weight += losses[i].weight;
      }
    for (size_t i = 0; i < losses.size(); ++i)
      if (measured(i))
        shares[i] = static_cast<float>(std::clamp(static_cast<double>(shares[i]) * weight / sum, kLeastShare, kMostShare));
  }
  return shares;
}

SparqPolicy SparqPilot::policy_at(double scale) const {
  return {.params = &params_, .scale = scale, .shares = shares_.empty() ? nullptr : shares_.data(), .heads = heads_};
}

// Elsewhere than after the last page, a past was left out.
void SparqPilot::begin_page(int64_t position) {
  if (index(position) != std::ssize(pages_)) {
    pages_.clear();
    first_page_ = position / kPageKeys;
  }
  const double at = scale();
  pages_.push_back({at, weight_ > 0 ? sum_ / weight_ * std::pow(at, kPower) : 0});
}

void SparqPilot::take_heads(std::span<const HeadLoss> losses, int64_t heads) {
  shares_ = shares_of(losses);
  heads_ = heads;
}

void SparqPilot::end_trial(double sparse_layers) {
  tried_ = true;
  sparse_layers_ = sparse_layers;
}

void SparqPilot::take_trial(double nats, int64_t rows) { add(nats, 1, kTrialWeight * static_cast<double>(rows)); }

bool SparqPilot::wants_check(int64_t position) const { return params_.loss > 0 && tried_ && position % kPageKeys == 0; }

void SparqPilot::take_check(int64_t position, double nats) {
  const double at_scale = page(position).scale;
  sum_ *= kFade;
  weight_ *= kFade;
  add(nats, at_scale, 1);
}

void SparqPilot::add(double nats, double at_scale, double weight) {
  sum_ += weight * (1 + kOfText * sparse_layers_) * nats / std::pow(at_scale, kPower);
  weight_ += weight;
}

double SparqPilot::scale() const {
  if (params_.loss <= 0) return 1;
  const double known = (sum_ + kPriorWeight * params_.loss) / (weight_ + kPriorWeight);
  return std::clamp(std::pow(kAim * params_.loss / known, 1 / kPower), kLeastScale, kMostScale);
}

}  // namespace skald
