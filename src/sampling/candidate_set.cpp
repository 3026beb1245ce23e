#include "sampling/candidate_set.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "sampling/lanes.h"
#include "sampling/most_likely.h"

namespace skald {
namespace {

constexpr size_t kWorthCompacting = 2;  // of as many stored logits one is still there

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

void CandidateSet::reset_to_best(std::span<const TokenId> ids, std::span<const float> logits, size_t n_vocab) {
  std::vector<std::pair<TokenId, float>> by_id;
  for (size_t i = 0; i < ids.size(); ++i) by_id.emplace_back(ids[i], logits[i]);
  std::ranges::sort(by_id);
  n_vocab_ = n_vocab;
  length_ = size_ = ids.size();
  x_.resize(std::max(x_.size(), in_lanes(length_)));
  ids_.resize(std::max(ids_.size(), in_lanes(length_)));
  std::fill_n(x_.begin(), in_lanes(length_), kGone);
  for (size_t i = 0; i < length_; ++i) std::tie(ids_[i], x_[i]) = by_id[i];
  owned_ = true;
  numbered_ = weighed_ = changed_ = false;
  scale_ = 1;
  best_ = logits.front();
  missing_ = logits.back();
}

// Of equal logits the missing ones' ids are higher, but for those that became equal.
bool CandidateSet::has_best(size_t k) const {
  if (k > size_) return false;
  std::vector<float> left;
  std::ranges::copy_if(std::span(stored(), length_), std::back_inserter(left), [](float x) { return x != kGone; });
  std::ranges::nth_element(left, left.begin() + static_cast<std::ptrdiff_t>(k - 1), std::greater<>());
  const float last = left[k - 1];
  return changed_ ? last > missing_ : last >= missing_;
}

void CandidateSet::allow(TokenMask allowed) {
  own();
  for (size_t i = 0; i < length_; ++i) {
    const auto id = static_cast<size_t>(id_at(i));
    const bool may = id / 32 < allowed.size() && (allowed[id / 32] >> (id % 32) & 1);
    if (!may) x_[i] = kGone;
  }
  const Overview seen = look_over(x_.data(), length_);
  weighed_ = false;
  best_ = seen.best;
  changed(seen.count);
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
  changed_ = true;
  const float before = x_[*at], now = x_[*at] = static_cast<float>(value);
  if (weighed_) reweigh(*at);
  if (best_ && now > *best_)
    best_ = now;
  else if (best_ == before)
    best_.reset();
}

void CandidateSet::drop_at(size_t at) {
  if (best_ == x_[at]) best_.reset();
  x_[at] = kGone;
  if (!weighed_) return;
  total_ -= static_cast<double>(w_[at]);
  w_[at] = 0;
}

void CandidateSet::drop(TokenId id) {
  const std::optional<size_t> at = find(id);
  if (!at) return;
  own();
  drop_at(*at);
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

float* CandidateSet::room() {
  x_.resize(std::max(x_.size(), in_lanes(length_)));
  return x_.data();
}

void CandidateSet::own() {
  if (owned_) return;
  std::ranges::copy(source_, room());
  std::fill_n(x_.begin() + static_cast<std::ptrdiff_t>(length_), in_lanes(length_) - length_, kGone);
  owned_ = true;
}

// Before passes that change no logit.
void CandidateSet::pad() {
  if (length_ % kLanes != 0) own();
}

// Logits became gone: `size` are left.
void CandidateSet::changed(size_t size) {
  size_ = size;
  if (!few()) return;
  weighed_ = false;
  shrink();
}

void CandidateSet::changed(const Kept& left) {
  total_ = left.total;
  best_ = left.best;
  changed(left.count);
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

void CandidateSet::keep_at_least(double least) {
  pad();
  const Kept left = ::skald::keep_at_least(stored(), room(), weighed_ ? w_.data() : nullptr, in_lanes(length_),
                                           std::min(stored_bound(least), best_stored()));
  owned_ = true;
  changed(left);
}

size_t CandidateSet::count_at_least(double least) {
  pad();
  return ::skald::count_at_least(stored(), in_lanes(length_), stored_bound(least));
}

std::vector<Candidate> CandidateSet::best_of(size_t n) const {
  std::vector<TokenId> places;
  most_likely({stored(), length_}, std::min(n, size_), places);
  std::vector<Candidate> out;
  out.reserve(places.size());
  for (const TokenId place : places)
    out.push_back({id_at(static_cast<size_t>(place)), scale_ * static_cast<double>(stored()[place])});
  return out;
}

}  // namespace skald
