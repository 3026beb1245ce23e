// Cuts of a CandidateSet that need an order. Few tokens are sorted; of many, the place of the cut is searched for, and one
// pass drops what is beyond.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "sampling/candidate_set.h"
#include "sampling/lanes.h"
#include "sampling/most_likely.h"

namespace skald {
namespace {

// This many of n tokens are found by comparing all with the best so far.
bool quickly_found(size_t k, size_t n) {
  constexpr size_t kAlways = 64, kShare = 1024;
  return k <= std::max(kAlways, n / kShare);
}

struct Member {
  double distance;
  float logit;
  size_t at;
  bool operator<(const Member& other) const {
    if (distance != other.distance) return distance < other.distance;
    return logit != other.logit ? logit > other.logit : at < other.at;
  }
};

}  // namespace

void CandidateSet::keep_best(size_t k) {
  if (k >= size_) return;
  if (few() || !quickly_found(k, length_)) return cut({.target = static_cast<double>(k)});
  most_likely({stored(), length_}, k, places_);
  const float best = stored()[places_.front()];
  std::ranges::sort(places_);
  std::vector<std::pair<TokenId, float>> kept;
  kept.reserve(k);
  for (const TokenId place : places_) kept.emplace_back(id_at(static_cast<size_t>(place)), stored()[place]);
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
  if (k == 0) return;
  if (few() || !quickly_found(k, length_)) return cut({.target = static_cast<double>(k), .keep = Keep::kRest});
  most_likely({stored(), length_}, k, places_);
  own();
  for (const TokenId place : places_) drop_at(static_cast<size_t>(place));
  changed(size_ - k);
}

void CandidateSet::keep_mass(double share, size_t least) { cut({.mass = Mass::kWeights, .target = share, .least = least}); }

void CandidateSet::keep_typical(double share, size_t least) {
  const double typical = (log_total() - entropy()) / scale_;  // logit of the surprise that is expected
  cut({.center = typical, .mass = Mass::kWeights, .reach = Reach::kAbove, .target = share, .least = least});
}

void CandidateSet::cut(const Beginning& what) {
  if (few())
    cut_few(what);
  else
    cut_many(what);
}

void CandidateSet::cut_few(const Beginning& what) {
  own();
  std::vector<double> weights;
  const double total = what.mass == Mass::kWeights ? weights_of_few(weights) : 1;
  const double center = what.center.value_or(static_cast<double>(best_stored()));
  std::vector<Member> members;
  for (size_t i = 0; i < length_; ++i)
    if (x_[i] != kGone) members.push_back({std::abs(static_cast<double>(x_[i]) - center), x_[i], i});
  std::ranges::sort(members, std::less<>());
  size_t n = 0;
  for (double mass = 0; n < members.size();) {
    mass += what.mass == Mass::kWeights ? weights[members[n].at] / total : 1;
    ++n;
    const bool reached = what.reach == Reach::kAbove ? mass > what.target : mass >= what.target;
    if (reached && n >= what.least) break;
  }
  const bool beginning = what.keep == Keep::kBeginning;
  for (size_t i = 0; i < members.size(); ++i)
    if ((i < n) != beginning) x_[members[i].at] = kGone;
  best_.reset();
  changed(beginning ? n : members.size() - n);
}

void CandidateSet::cut_many(const Beginning& what) {
  shrink();
  pad();
  const bool by_weight = what.mass == Mass::kWeights;
  if (by_weight) weigh_all();
  const double mass = by_weight ? total_ : static_cast<double>(size_);
  const float from = what.center ? static_cast<float>(*what.center) : best_stored();
  const std::optional<CutSearch::Cut> found =
      search_.find({.x = stored(), .w = by_weight ? w_.data() : nullptr, .n = length_, .mass = mass},
                   {.from = from,
                    .best = by_weight ? from_ : best_stored(),
                    .scale = by_weight ? scale_ : 0,
                    .limit = by_weight ? what.target * mass : what.target,
                    .above = what.reach == Reach::kAbove});
  if (!found) return;  // rounding keeps the sum below the limit: all are the beginning
  if (what.least > 1 && count_within(from, found->distance) - found->beyond.size() < what.least)
    return cut_many({.center = what.center, .target = static_cast<double>(what.least)});
  if (what.keep == Keep::kBeginning)
    drop_but(found->in,
             [&](float* w) { return keep_nearer(stored(), room(), w, in_lanes(length_), from, found->distance); });
  else
    drop_but(found->beyond,
             [&](float* w) { return keep_farther(stored(), room(), w, in_lanes(length_), from, found->distance); });
}

// Tokens whose logit is no farther than this.
size_t CandidateSet::count_within(float from, float distance) const {
  return static_cast<size_t>(
      std::count_if(stored(), stored() + length_, [&](float x) { return x != kGone && std::abs(x - from) <= distance; }));
}

// What `pass` drops but for `ties`.
template <class Pass>
void CandidateSet::drop_but(std::span<const CutSearch::Member> ties, Pass pass) {
  std::vector<float> weights;
  if (weighed_)
    for (const CutSearch::Member& m : ties) weights.push_back(w_[static_cast<size_t>(m.at)]);
  Kept left = pass(weighed_ ? w_.data() : nullptr);
  owned_ = true;
  for (size_t i = 0; i < ties.size(); ++i) {
    const auto at = static_cast<size_t>(ties[i].at);
    x_[at] = ties[i].logit;
    left.best = std::max(left.best, x_[at]);
    ++left.count;
    if (!weighed_) continue;
    w_[at] = weights[i];
    left.total += static_cast<double>(weights[i]);
  }
  changed(left);
}

}  // namespace skald
