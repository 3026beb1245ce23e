#include "sampling/candidate_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "sampling/lanes.h"
#include "sampling/most_likely.h"

namespace skald {
namespace {

constexpr size_t kWorthCompacting = 3;  // of as many stored logits one is still there

[[noreturn]] void refuse(TokenId id, double logit, const char* what) {
  fail(Errc::kBadInput, "token {}: its logit is {}{}", id, std::isnan(logit) ? "NaN" : "+inf", what);
}

}  // namespace

void CandidateSet::reset(std::span<const float> logits) {
  source_ = logits;
  n_vocab_ = length_ = logits.size();
  owned_ = false;
  numbered_ = true;
  scale_ = 1;
  weighed_ = false;
  const Overview seen = look_over(logits.data(), logits.size());
  if (!seen.fine)
    for (size_t i = 0; i < logits.size(); ++i)
      if (!(logits[i] < -kGone)) refuse(static_cast<TokenId>(i), static_cast<double>(logits[i]), "");
  size_ = seen.count;
  best_ = seen.best;
}

void CandidateSet::allow(TokenMask allowed) {
  own();
  for (size_t i = 0; i < length_; ++i) {
    const auto id = static_cast<size_t>(id_at(i));
    const bool may = id / 32 < allowed.size() && (allowed[id / 32] >> (id % 32) & 1);
    if (!may) x_[i] = kGone;
  }
  changed(look_over(x_.data(), length_).count);
}

void CandidateSet::check() const {
  if (size_ == 0)
    fail(Errc::kBadInput,
         "no candidate is left: the logits of all {} tokens are -inf, by themselves, their bias (logit-bias), or because "
         "they are not allowed",
         n_vocab_);
}

std::optional<size_t> CandidateSet::find(TokenId id) const {
  if (id < 0 || static_cast<size_t>(id) >= n_vocab_) return std::nullopt;
  auto at = static_cast<size_t>(id);
  if (!numbered_) {
    const auto end = ids_.begin() + static_cast<std::ptrdiff_t>(length_);
    const auto found = std::lower_bound(ids_.begin(), end, id);
    if (found == end || *found != id) return std::nullopt;
    at = static_cast<size_t>(found - ids_.begin());
  }
  if (stored()[at] == kGone) return std::nullopt;
  return at;
}

std::optional<double> CandidateSet::logit(TokenId id) const {
  const std::optional<size_t> at = find(id);
  return at ? std::optional(scale_ * static_cast<double>(stored()[*at])) : std::nullopt;
}

void CandidateSet::set(TokenId id, double logit, const char* what) {
  constexpr auto kMost = static_cast<double>(std::numeric_limits<float>::max());
  if (logit == static_cast<double>(kGone)) return drop(id);
  const double value = std::max(logit / scale_, -kMost);
  if (!(value <= kMost)) refuse(id, value, what);
  const std::optional<size_t> at = find(id);
  if (!at) return;
  own();
  const float before = x_[*at], now = x_[*at] = static_cast<float>(value);
  weighed_ = false;
  if (best_ && now > *best_)
    best_ = now;
  else if (best_ == before)
    best_.reset();
}

void CandidateSet::drop(TokenId id) {
  const std::optional<size_t> at = find(id);
  if (!at) return;
  own();
  x_[*at] = kGone;
  weighed_ = false;
  changed(size_ - 1);
}

void CandidateSet::scale(double factor) {
  constexpr double kLeast = 1e-200, kMost = 1e200;
  scale_ = std::clamp(scale_ * factor, kLeast, kMost);
  weighed_ = false;
}

float CandidateSet::best_stored() const {
  if (!best_) best_ = look_over(stored(), length_).best;
  return *best_;
}

// The least float that is at least `least` with the scale.
float CandidateSet::stored_bound(double least) const {
  constexpr auto kMost = static_cast<double>(std::numeric_limits<float>::max());
  const double bound = std::clamp(least / scale_, -kMost, kMost);
  const auto out = static_cast<float>(bound);
  return static_cast<double>(out) < bound ? std::nextafter(out, -kGone) : out;
}

void CandidateSet::own() {
  if (owned_) return;
  x_.resize(std::max(x_.size(), in_lanes(length_)));
  std::ranges::copy(source_, x_.begin());
  std::fill_n(x_.begin() + static_cast<std::ptrdiff_t>(length_), in_lanes(length_) - length_, kGone);
  owned_ = true;
}

// Logits became gone: `size` are left.
void CandidateSet::changed(size_t size) {
  size_ = size;
  best_.reset();
  if (!few()) return;
  weighed_ = false;
  shrink();
}

// Before a pass that costs more than moving what is left together.
void CandidateSet::shrink() {
  if (size_ == length_ || (!few() && size_ * kWorthCompacting > length_)) return;
  own();
  ids_.resize(std::max(ids_.size(), in_lanes(length_)));
  length_ = compact(x_.data(), weighed_ ? w_.data() : nullptr, ids_.data(), in_lanes(length_), numbered_);
  numbered_ = false;
  for (size_t i = length_; i < in_lanes(length_); ++i) {
    x_[i] = kGone;
    if (weighed_) w_[i] = 0;
  }
}

void CandidateSet::weigh_all() {
  if (weighed_) return;
  own();
  shrink();
  w_.resize(std::max(w_.size(), in_lanes(length_)));
  constexpr double kSteepest = 1e30;  // beyond, a float would be infinite
  from_ = best_stored();
  total_ = weigh(x_.data(), in_lanes(length_), from_, static_cast<float>(std::min(scale_, kSteepest)), w_.data());
  weighed_ = true;
}

void CandidateSet::check_weights() {
  constexpr double kLittle = 10;  // nats
  if (weighed_ && scale_ * (static_cast<double>(from_) - static_cast<double>(best_stored())) > kLittle) weighed_ = false;
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
    return std::log(total_) - scale_ * sum_products(x_.data(), w_.data(), in_lanes(length_), from_) / total_;
  }
  std::vector<double> weights;
  const double total = weights_of_few(weights);
  double out = 0;
  for (const double w : weights)
    if (const double p = w / total; p > 0) out -= p * std::log(p);
  return out;
}

double CandidateSet::deviation() {
  own();
  const Moments m = moments_of(x_.data(), in_lanes(length_), best_stored());
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

void CandidateSet::keep_at_least(double least) {
  own();
  const Kept kept = ::skald::keep_at_least(x_.data(), weighed_ ? w_.data() : nullptr, in_lanes(length_),
                                           std::min(stored_bound(least), best_stored()));
  total_ = kept.total;
  const std::optional<float> best = best_;
  changed(kept.count);
  best_ = best;
}

size_t CandidateSet::count_at_least(double least) {
  own();
  return ::skald::count_at_least(x_.data(), in_lanes(length_), stored_bound(least));
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

std::vector<Candidate> CandidateSet::best_of(size_t n) const {
  std::vector<TokenId> places;
  most_likely({stored(), length_}, std::min(n, size_), places);
  std::vector<Candidate> out;
  for (const TokenId place : places)
    out.push_back({id_at(static_cast<size_t>(place)), scale_ * static_cast<double>(stored()[place])});
  return out;
}

std::vector<size_t> CandidateSet::order_of_few() const {
  const float* x = stored();
  std::vector<size_t> out;
  for (size_t i = 0; i < length_; ++i)
    if (x[i] != kGone) out.push_back(i);
  std::ranges::sort(out, [&](size_t a, size_t b) { return x[a] != x[b] ? x[a] > x[b] : a < b; });
  return out;
}

TokenId CandidateSet::draw(double left) {
  if (!few()) {
    weigh_all();
    return id_at(find_mass(w_.data(), in_lanes(length_), left * total_));
  }
  std::vector<double> weights;
  double rest = left * weights_of_few(weights);
  size_t last = 0;
  for (const size_t at : order_of_few()) {
    if (weights[at] > 0) last = at;
    rest -= weights[at];
    if (rest < 0) break;
  }
  return id_at(last);
}

}  // namespace skald
