// Probabilities of a CandidateSet, as weights: of many tokens in single precision, kept while the logits stay; of few in
// double, made anew for each use.
#include <algorithm>
#include <bit>
#include <cmath>

#include "sampling/candidate_set.h"
#include "sampling/lanes.h"

namespace skald {

float CandidateSet::weight_scale() const {
  constexpr double kSteepest = 1e30;  // beyond, a float would be infinite
  return static_cast<float>(std::min(scale_, kSteepest));
}

void CandidateSet::weigh_all() {
  constexpr double kLittle = 10;  // nats that the best of what is left is below the best of before
  if (weighed_ && scale_ * (static_cast<double>(from_) - static_cast<double>(best_stored())) <= kLittle) return;
  shrink();
  pad();
  w_.resize(std::max(w_.size(), in_lanes(length_)));
  from_ = best_stored();
  total_ = weigh(stored(), in_lanes(length_), from_, weight_scale(), w_.data());
  weighed_ = true;
}

// The weight of one token whose logit is another now.
void CandidateSet::reweigh(size_t at) {
  weighed_ = x_[at] <= from_;
  if (!weighed_) return;
  float x[kLanes], w[kLanes];
  std::fill_n(x, kLanes, x_[at]);
  weigh(x, kLanes, from_, weight_scale(), w);
  total_ += static_cast<double>(w[0]) - static_cast<double>(w_[at]);
  w_[at] = w[0];
}

double CandidateSet::weights_of_few(std::vector<double>& out) const {
  const auto top = static_cast<double>(best_stored());
  out.clear();
  double sum = 0;
  for (size_t i = 0; i < length_; ++i) {
    const float x = stored()[i];
    sum += out.emplace_back(x == kGone ? 0 : std::exp((static_cast<double>(x) - top) * scale_));
  }
  return sum;
}

double CandidateSet::log_total() {
  std::vector<double> weights;
  if (few()) return best() + std::log(weights_of_few(weights));
  weigh_all();
  return scale_ * static_cast<double>(from_) + std::log(total_);
}

double CandidateSet::entropy() {
  if (!few()) {
    weigh_all();
    return std::log(total_) - scale_ * sum_products(stored(), w_.data(), in_lanes(length_), from_) / total_;
  }
  std::vector<double> weights;
  const double total = weights_of_few(weights);
  double out = 0;
  for (const double w : weights)
    if (const double p = w / total; p > 0) out -= p * std::log(p);
  return out;
}

double CandidateSet::deviation() {
  pad();
  const Moments m = moments_of(stored(), in_lanes(length_), best_stored());
  const auto n = static_cast<double>(size_);
  return scale_ * std::sqrt(std::max(0.0, m.squares / n - m.sum / n * (m.sum / n)));
}

CandidateSet::Shares CandidateSet::shares() {
  Shares out;
  if (few()) {
    std::vector<double> weights;
    out.total = weights_of_few(weights);
    out.weights.assign(weights.begin(), weights.end());
  } else {
    weigh_all();
    out.total = total_;
    out.weights.assign(w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(length_));
  }
  if (!numbered_) out.ids.assign(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(length_));
  return out;
}

double CandidateSet::Shares::of(TokenId id) const {
  auto at = static_cast<size_t>(id);
  if (!ids.empty()) {
    const auto found = std::ranges::lower_bound(ids, id);
    if (found == ids.end() || *found != id) return 0;
    at = static_cast<size_t>(found - ids.begin());
  }
  return at < weights.size() ? static_cast<double>(weights[at]) / total : 0;
}

void CandidateSet::favour(double goal, Shares& before) {
  own();
  if (few()) {
    before = shares();
    for (size_t i = 0; i < length_; ++i) {
      const double d = std::abs(static_cast<double>(before.weights[i]) / before.total - goal) / 0.3;
      if (x_[i] != kGone) x_[i] = static_cast<float>(5 - 10 * d * d / (1 + d));
    }
    best_.reset();
  } else {
    weigh_all();
    best_ =
        ::skald::favour(x_.data(), w_.data(), in_lanes(length_), static_cast<float>(1 / total_), static_cast<float>(goal));
    before.weights.swap(w_);  // they are made anew
    before.total = total_;
    before.ids.clear();
    if (!numbered_) before.ids.assign(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(length_));
  }
  scale_ = 1;
  weighed_ = false;
}

// By tokens at random, each taken as often as its weight says: nothing where none of a few tries is.
std::optional<TokenId> CandidateSet::draw_by_trial(Rng& rng) const {
  constexpr size_t kPerTry = 256;  // tokens: all tries together cost little beside a pass
  const auto top = static_cast<double>(best_stored());
  for (size_t i = 0; i < length_ / kPerTry; ++i) {
    const auto at = static_cast<size_t>(rng.uniform() * static_cast<double>(length_));
    const double weight = std::exp((static_cast<double>(stored()[at]) - top) * scale_);
    if (rng.uniform() < weight) return id_at(at);
  }
  return std::nullopt;
}

TokenId CandidateSet::draw(double left) {
  if (!few()) {
    Rng rng(std::bit_cast<uint64_t>(left));
    if (const auto id = weighed_ ? std::nullopt : draw_by_trial(rng)) return *id;
    weigh_all();
    return id_at(find_mass(w_.data(), in_lanes(length_), rng.uniform() * total_));
  }
  std::vector<double> weights;
  double rest = left * weights_of_few(weights);
  std::vector<size_t> order;  // a heap: mostly a few of the most likely are looked at
  for (size_t i = 0; i < length_; ++i)
    if (weights[i] > 0) order.push_back(i);
  const auto later = [&](size_t a, size_t b) { return stored()[a] != stored()[b] ? stored()[a] < stored()[b] : a > b; };
  std::ranges::make_heap(order, later);
  while (order.size() > 1 && (rest -= weights[order.front()]) >= 0) {
    std::ranges::pop_heap(order, later);
    order.pop_back();
  }
  return id_at(order.front());
}

}  // namespace skald
