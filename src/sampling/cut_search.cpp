#include "sampling/cut_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "sampling/lanes.h"

namespace skald {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
constexpr size_t kSample = 2048;  // tokens at least, where there are more
constexpr size_t kSparsest = 32;  // of as many groups of lanes one is in the sample
constexpr size_t kPerBucket = 8;  // tokens of the sample
constexpr int kMostBuckets = 1024;
constexpr double kNats = 64;                  // what is less likely than this lies in the last bucket
constexpr double kDoubt = 2, kMoreDoubt = 4;  // standard deviations of a sample's sums, and times these after a miss
constexpr int kGuesses = 3;
constexpr size_t kFewToOrder = 64;
constexpr size_t kHeavy = 16;  // average weights: tokens that are not left to the sample

bool reaches(const CutSearch::Aim& aim, double mass) { return aim.above ? mass > aim.limit : mass >= aim.limit; }

size_t step_for(size_t n) { return std::clamp<size_t>(n / kSample, 1, kSparsest); }

double distance(float a, float b) { return std::abs(static_cast<double>(a) - static_cast<double>(b)); }

}  // namespace

bool CutSearch::Member::operator<(const Member& other) const {
  if (distance != other.distance) return distance < other.distance;
  return logit != other.logit ? logit > other.logit : at < other.at;
}

std::optional<CutSearch::Cut> CutSearch::find(const Tokens& tokens, const Aim& aim) {
  if (!reaches(aim, tokens.mass)) return std::nullopt;
  list_.at.clear();
  Tokens now = tokens;
  Part part{0, kFar, 0, tokens.mass};
  for (bool narrower = true; narrower && now.n > kFewToOrder;) {
    part = narrow(now, aim, part);
    narrower = next_.at.size() < now.n;
    std::swap(list_, next_);
    now = {list_.x.data(), tokens.w ? list_.w.data() : nullptr, list_.at.size(), list_.mass};
  }
  return cut_members(aim, part.before, tokens.w != nullptr);
}

// The tokens of a band that the cut is in, as next_. Those of `whole` are given.
CutSearch::Part CutSearch::narrow(const Tokens& tokens, const Aim& aim, const Part& whole) {
  places_.resize(std::max(places_.size(), tokens.n + kLanes));
  Part part = whole;
  double doubt = kDoubt;
  list_heavy(tokens, aim);
  for (int guesses = 0;; ++guesses, doubt *= kMoreDoubt) {
    const Band band = guesses < kGuesses ? guess(tokens, aim, part, doubt) : Band{aim.from, part.near, part.far};
    const Listed listed = list_band(tokens.x, tokens.w, in_lanes(tokens.n), band, places_.data());
    gather(tokens, listed.count);
    const double before = whole.before + listed.before, until = before + next_.mass;
    if (reaches(aim, before) && band.near > part.near)
      part = {part.near, std::nextafter(band.near, 0.0F), part.before, before - part.before};
    else if (!reaches(aim, until) && band.far < part.far)
      part = {std::nextafter(band.far, kFar), part.far, until, part.before + part.mass - until};
    else
      return {band.near, band.far, before, next_.mass};
  }
}

void CutSearch::gather(const Tokens& tokens, size_t n) {
  const bool first = list_.at.empty();
  next_.at.resize(n);
  next_.x.assign(in_lanes(n), kGone);
  if (tokens.w) next_.w.assign(in_lanes(n), 0);
  next_.mass = tokens.w ? 0 : static_cast<double>(n);
  for (size_t i = 0; i < n; ++i) {
    const auto at = static_cast<size_t>(places_[i]);
    next_.at[i] = first ? places_[i] : list_.at[at];
    next_.x[i] = tokens.x[at];
    if (!tokens.w) continue;
    next_.w[i] = tokens.w[at];
    next_.mass += static_cast<double>(tokens.w[at]);
  }
}

// A band of the part in which the cut is likely to be.
Band CutSearch::guess(const Tokens& tokens, const Aim& aim, const Part& part, double doubt) {
  const size_t step = step_for(tokens.n), n = take_sample(tokens, step);
  float* const x = sample_x_.data();
  float* const w = tokens.w ? sample_w_.data() : nullptr;
  if (part.far < kFar) keep_nearer(x, x, w, n, aim.from, std::nextafter(part.far, kFar));
  if (part.near > 0) keep_farther(x, x, w, n, aim.from, std::nextafter(part.near, 0.0F));
  const Overview seen = look_over(x, n);
  const double farthest = std::max(distance(seen.best, aim.from), distance(seen.least, aim.from));
  double range = farthest - static_cast<double>(part.near);
  if (w) range = std::min(range, kNats / aim.scale);
  if (seen.count == 0 || !(range > 0)) return {aim.from, part.near, part.far};
  constexpr double kMostPerUnit = 1e30;
  const int last = std::clamp(static_cast<int>(seen.count / kPerBucket), 2, kMostBuckets) - 1;
  const Buckets buckets{.from = aim.from,
                        .near = part.near,
                        .per_unit = static_cast<float>(std::min(last / range, kMostPerUnit)),
                        .last = last};
  sums_.assign(static_cast<size_t>(last + 1) * Buckets::kWays, 0);
  squares_ = sums_;
  add_to_buckets(x, w, n, buckets, sums_.data());
  if (w) std::transform(w, w + n, w, [](float weight) { return weight * weight; });
  if (step > 1) add_to_buckets(x, w, n, buckets, squares_.data());
  add_heavy(tokens, part, buckets, step);
  return band_of_sums(aim, part, buckets, step, doubt);
}

// A sample says little of the mass of few heavy tokens.
void CutSearch::list_heavy(const Tokens& tokens, const Aim& aim) {
  n_heavy_ = 0;
  heavy_from_ = kFar;
  const double least = kHeavy * tokens.mass / static_cast<double>(tokens.n);
  if (!tokens.w || step_for(tokens.n) == 1 || least > 1) return;
  heavy_from_ = static_cast<float>(static_cast<double>(aim.best) + std::log(least) / aim.scale);
  heavy_.resize(tokens.n / kHeavy + 2 * kLanes);
  n_heavy_ = list_at_least(tokens.x, in_lanes(tokens.n), heavy_from_, heavy_);
}

// One of `step` groups of lanes.
size_t CutSearch::take_sample(const Tokens& tokens, size_t step) {
  const size_t n = in_lanes(in_lanes(tokens.n) / step + kLanes);
  sample_x_.resize(std::max(sample_x_.size(), n));
  sample_w_.resize(std::max(sample_w_.size(), n));
  size_t to = 0;
  for (size_t i = 0; i < tokens.n; i += step * kLanes, to += kLanes) {
    const Lanes x = load_lanes(tokens.x + i);
    const LaneInts light = x < heavy_from_;
    store_lanes(&sample_x_[to], light ? x : all_lanes(kGone));
    if (tokens.w) store_lanes(&sample_w_[to], light ? load_lanes(tokens.w + i) : Lanes{});
  }
  return to;
}

void CutSearch::add_heavy(const Tokens& tokens, const Part& part, const Buckets& buckets, size_t step) {
  for (const int32_t i : std::span(heavy_).first(n_heavy_)) {
    const double d = distance(tokens.x[i], buckets.from);
    if (d < static_cast<double>(part.near) || d > static_cast<double>(part.far)) continue;
    const double bucket = (d - static_cast<double>(part.near)) * static_cast<double>(buckets.per_unit);
    const auto at = static_cast<size_t>(std::min<double>(bucket, buckets.last));
    sums_[at * Buckets::kWays] += static_cast<double>(tokens.w[i]) / static_cast<double>(step);
  }
}

// From the farthest bucket on, by the mass of what is left after the cut: far from the best weights are small and many, so
// that a sample tells their sum well.
Band CutSearch::band_of_sums(const Aim& aim, const Part& part, const Buckets& buckets, size_t step, double doubt) const {
  constexpr double kRounding = 1e-6, kSlack = 0.01;
  const auto per_token = static_cast<double>(step), after = part.before + part.mass - aim.limit;
  double rest = 0, squares = 0;
  int near = buckets.last, far = -1;
  for (; near > 0; --near) {
    const size_t from = static_cast<size_t>(near) * Buckets::kWays;
    for (size_t i = from; i < from + Buckets::kWays; ++i) {
      rest += per_token * sums_[i];
      squares += per_token * per_token * squares_[i];
    }
    const double error = kRounding * part.mass + doubt * std::sqrt(squares);
    if (far < 0 && rest + error >= after) far = near;
    if (rest - error >= after) break;
  }
  if (far < 0) far = 0;
  const double unit = 1 / static_cast<double>(buckets.per_unit);
  const auto at = [&](double bucket) { return static_cast<float>(static_cast<double>(part.near) + bucket * unit); };
  return {aim.from, near > 0 ? std::max(part.near, at(near - kSlack)) : part.near,
          far < buckets.last ? std::min(part.far, at(far + 1 + kSlack)) : part.far};
}

// Of the list the first in the order that bring the mass to the limit.
CutSearch::Cut CutSearch::cut_members(const Aim& aim, double before, bool weighed) {
  members_.clear();
  for (size_t i = 0; i < list_.at.size(); ++i) {
    const float x = list_.x[i], d = x - aim.from;
    members_.push_back({d < 0 ? -d : d, x, weighed ? list_.w[i] : 1, list_.at[i]});
  }
  const auto at = [&](size_t i) { return members_.begin() + static_cast<std::ptrdiff_t>(i); };
  size_t low = 0, high = members_.size();
  while (high - low > kFewToOrder) {
    const size_t middle = low + (high - low) / 2;
    std::nth_element(at(low), at(middle), at(high), std::less<>());
    double mass = before;
    for (size_t i = low; i < middle; ++i) mass += static_cast<double>(members_[i].weight);
    if (reaches(aim, mass)) {
      high = middle;
    } else {
      low = middle;
      before = mass;
    }
  }
  std::sort(at(low), at(high), std::less<>());
  while (low < high && !reaches(aim, before += static_cast<double>(members_[low].weight))) ++low;
  const size_t n = std::min(low + 1, members_.size());
  const float last = members_[n - 1].distance;
  const auto same = [&](const Member& m) { return m.distance == last; };
  const auto in = std::partition(at(0), at(n), std::not_fn(same)), beyond = std::partition(at(n), members_.end(), same);
  return {last, {in, at(n)}, {at(n), beyond}};
}

}  // namespace skald
