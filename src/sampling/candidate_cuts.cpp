// Cuts of a CandidateSet that need an order. Of many tokens none is sorted but those near the cut: all are counted into
// buckets by what orders them, and only the bucket that the cut falls into is ordered, as far as the cut needs.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "sampling/candidate_set.h"
#include "sampling/lanes.h"
#include "sampling/most_likely.h"

namespace skald {
namespace {

constexpr int kBuckets = 2048;
constexpr double kNats = 64;  // what is less likely than this lies in the last bucket
constexpr size_t kFewToOrder = 64;
constexpr size_t kSmallShare = 64;  // of the tokens: found by comparing with the best so far

}  // namespace

bool CandidateSet::Member::operator<(const Member& other) const {
  if (key != other.key) return key < other.key;
  return logit != other.logit ? logit > other.logit : at < other.at;
}

void CandidateSet::keep_best(size_t k) {
  if (k >= size_) return;
  if (few() || k * kSmallShare > length_) return cut({.target = static_cast<double>(k)});
  std::vector<TokenId> places;
  most_likely({stored(), length_}, k, places);
  const float best = stored()[places.front()];
  std::ranges::sort(places);
  std::vector<std::pair<TokenId, float>> kept;
  for (const TokenId place : places) kept.emplace_back(id_at(static_cast<size_t>(place)), stored()[place]);
  x_.resize(std::max(x_.size(), in_lanes(k)));
  ids_.resize(std::max(ids_.size(), in_lanes(k)));
  std::fill_n(x_.begin(), in_lanes(k), kGone);
  for (size_t i = 0; i < k; ++i) std::tie(ids_[i], x_[i]) = kept[i];
  owned_ = true;
  numbered_ = weighed_ = false;
  length_ = size_ = k;
  best_ = best;
}

void CandidateSet::drop_best(size_t k) {
  if (k > 0) cut({.target = static_cast<double>(k), .keep = Keep::kRest});
}

void CandidateSet::keep_mass(double share) { cut({.mass = Mass::kWeights, .target = share}); }

void CandidateSet::keep_typical(double share) {
  const double typical = (log_total() - entropy()) / scale_;  // logit of the surprise that is expected
  cut({.center = typical, .mass = Mass::kWeights, .reach = Reach::kAbove, .target = share});
}

void CandidateSet::cut(const Beginning& what) {
  own();
  if (few())
    cut_few(what);
  else
    cut_many(what);
}

void CandidateSet::cut_few(const Beginning& what) {
  std::vector<double> weights;
  const double total = what.mass == Mass::kWeights ? weights_of_few(weights) : 1;
  const double center = what.center.value_or(static_cast<double>(best_stored()));
  members_.clear();
  for (size_t i = 0; i < length_; ++i)
    if (x_[i] != kGone)
      members_.push_back({std::abs(static_cast<double>(x_[i]) - center), x_[i], 0, static_cast<int32_t>(i)});
  std::ranges::sort(members_, std::less<>());
  size_t n = 0;
  for (double mass = 0; n < members_.size();) {
    mass += what.mass == Mass::kWeights ? weights[static_cast<size_t>(members_[n].at)] / total : 1;
    ++n;
    if (what.comes_to_target(mass, what.target)) break;
  }
  const bool beginning = what.keep == Keep::kBeginning;
  for (size_t i = 0; i < members_.size(); ++i)
    if ((i < n) != beginning) x_[static_cast<size_t>(members_[i].at)] = kGone;
  changed(beginning ? n : members_.size() - n);
}

// As fine as the logits allow, but for those that are very unlikely.
Buckets CandidateSet::buckets_from(float from) const {
  const Overview seen = look_over(x_.data(), length_);
  const auto distance = [&](float x) { return std::abs(static_cast<double>(x) - static_cast<double>(from)); };
  const double range = std::min(std::max(distance(seen.best), distance(seen.least)), kNats / scale_);
  constexpr double kMostPerUnit = 1e30;
  return {.from = from,
          .per_unit = static_cast<float>(range > 0 ? std::min((kBuckets - 1) / range, kMostPerUnit) : 1),
          .last = kBuckets - 1};
}

std::optional<int> CandidateSet::bucket_of_limit(const Beginning& what, const Buckets& buckets, double limit,
                                                 double& before) {
  sums_.assign(static_cast<size_t>(kBuckets) * Buckets::kWays, 0);
  add_to_buckets(x_.data(), what.mass == Mass::kWeights ? w_.data() : nullptr, in_lanes(length_), buckets, sums_.data());
  for (int b = 0; b < kBuckets; ++b) {
    const double* s = &sums_[static_cast<size_t>(b) * Buckets::kWays];
    const double mass = (s[0] + s[1]) + (s[2] + s[3]);
    if (what.comes_to_target(before + mass, limit)) return b;
    before += mass;
  }
  return std::nullopt;
}

void CandidateSet::gather(const Buckets& buckets, int bucket) {
  places_.resize(std::max(places_.size(), in_lanes(length_)));
  const size_t n = find_bucket(x_.data(), in_lanes(length_), buckets, bucket, places_.data());
  members_.clear();
  for (size_t i = 0; i < n; ++i) {
    const auto at = static_cast<size_t>(places_[i]);
    const float key = std::abs(x_[at] - buckets.from);  // as the passes have it
    members_.push_back({static_cast<double>(key), x_[at], weighed_ ? w_[at] : 0, places_[i]});
  }
}

// How many of the bucket's members, the first in the order, bring the mass to the limit; they come to stand in front.
size_t CandidateSet::members_to(const Beginning& what, double limit, double before) {
  const auto mass_of = [&](const Member& m) { return what.mass == Mass::kWeights ? static_cast<double>(m.weight) : 1.0; };
  const auto at = [&](size_t i) { return members_.begin() + static_cast<std::ptrdiff_t>(i); };
  size_t low = 0, high = members_.size();
  while (high - low > kFewToOrder) {
    const size_t middle = low + (high - low) / 2;
    std::nth_element(at(low), at(middle), at(high));
    double mass = before;
    for (size_t i = low; i < middle; ++i) mass += mass_of(members_[i]);
    if (what.comes_to_target(mass, limit)) {
      high = middle;
    } else {
      low = middle;
      before = mass;
    }
  }
  std::sort(at(low), at(high));
  for (; low < high; ++low) {
    before += mass_of(members_[low]);
    if (what.comes_to_target(before, limit)) return low + 1;
  }
  return high;
}

// Cuts behind the first n members. Those at the same distance as the last of them are told apart by the members' order.
void CandidateSet::keep_members(const Beginning& what, float from, size_t n) {
  const bool beginning = what.keep == Keep::kBeginning;
  float* const w = weighed_ ? w_.data() : nullptr;
  const double key = members_[n - 1].key;
  const auto distance = static_cast<float>(key);
  Kept kept = beginning ? keep_nearer(x_.data(), w, in_lanes(length_), from, distance)
                        : keep_farther(x_.data(), w, in_lanes(length_), from, distance);
  for (size_t i = beginning ? 0 : n; i < (beginning ? n : members_.size()); ++i) {
    const Member& m = members_[i];
    if (m.key != key) continue;
    x_[static_cast<size_t>(m.at)] = m.logit;
    if (w) w[m.at] = m.weight;
    kept.total += static_cast<double>(m.weight);
    ++kept.count;
  }
  if (weighed_) total_ = kept.total;
  changed(kept.count);
}

void CandidateSet::cut_many(const Beginning& what) {
  shrink();
  if (what.mass == Mass::kWeights) weigh_all();
  const double limit = what.mass == Mass::kWeights ? what.target * total_ : what.target;
  const Buckets buckets = buckets_from(what.center ? static_cast<float>(*what.center) : best_stored());
  double before = 0;
  const std::optional<int> bucket = bucket_of_limit(what, buckets, limit, before);
  if (!bucket) return;  // rounding keeps the sum below the limit: all are the beginning
  gather(buckets, *bucket);
  const std::optional<float> best = best_;
  keep_members(what, buckets.from, members_to(what, limit, before));
  if (what.keep == Keep::kBeginning && !what.center)
    best_ = best;
  else
    check_weights();
}

}  // namespace skald
