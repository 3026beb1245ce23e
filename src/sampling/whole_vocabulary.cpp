#include "sampling/whole_vocabulary.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sampling/filters/min_p.h"
#include "sampling/filters/top_k.h"

namespace skald {
namespace {

constexpr size_t kBlock = 512;
// Of a total: more than another order of additions, and other exponentials, can move a sum of 2^20 weights.
constexpr double kUnsure = 1e-9;
constexpr double kLeastExponent = -700;

// exp(x) for -700 <= x <= 0 within 1e-14 of itself, in operations that compilers turn into vectors: 2^n times Taylor's
// polynomial for the rest, which is at most ln(2) / 2.
inline double exp_of(double x) {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
  const double shifted = x * 1.4426950408889634 + kRound, n = shifted - kRound;
  const double r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  double p = 1.0 / 39916800;
  for (const double factor :
       {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
    p = p * r + factor;
  const int64_t power = std::bit_cast<int64_t>(shifted) << 52;
  return std::bit_cast<double>(std::bit_cast<int64_t>(p) + power);
}

void weights_of(const float* logits, size_t n, float best, float temperature, double* out) {
  const double scale = 1.0 / static_cast<double>(temperature), top = static_cast<double>(best);
  for (size_t i = 0; i < n; ++i) {
    const double x = (static_cast<double>(logits[i]) - top) * scale;
    out[i] = exp_of(x > kLeastExponent ? x : kLeastExponent);
  }
}

bool all_numbers(std::span<const float> logits) {
  uint32_t bad = 0;
  for (const float x : logits) bad |= static_cast<uint32_t>(x != x);
  return bad == 0;
}

bool contains(const uint16_t* buckets, size_t n, uint16_t bucket) {
  uint16_t any = 0;
  for (size_t i = 0; i < n; ++i) any = static_cast<uint16_t>(any | (buckets[i] == bucket));
  return any != 0;
}

}  // namespace

uint16_t WholeVocabulary::bucket_of(float logit) const {
  constexpr float kLast = kBuckets - 1;
  const float at = (best_ - logit) * kPerNat;
  return static_cast<uint16_t>(static_cast<int32_t>(at < kLast ? at : kLast));
}

void WholeVocabulary::fill(std::span<const float> logits, std::span<Sums* const> sums) {
  bucket_.resize(logits.size());
  members_of_ = kBuckets;
  for (Sums* s : sums) s->of.fill(0);
  double weights[kBlock];
  for (size_t first = 0; first < logits.size(); first += kBlock) {
    const size_t n = std::min(kBlock, logits.size() - first);
    const float* x = logits.data() + first;
    uint16_t* bucket = bucket_.data() + first;
    for (size_t i = 0; i < n; ++i) bucket[i] = bucket_of(x[i]);
    for (Sums* s : sums) {
      weights_of(x, n, best_, s->temperature, weights);
      for (size_t i = 0; i < n; ++i) s->of[bucket[i]] += weights[i];
    }
  }
  for (Sums* s : sums) {
    s->total = 0;
    for (double of : s->of) s->total += of;
  }
}

const std::vector<Candidate>& WholeVocabulary::sorted(std::span<const float> logits, size_t bucket) {
  if (members_of_ == bucket) return members_;
  members_of_ = bucket;
  members_.clear();
  const auto wanted = static_cast<uint16_t>(bucket);
  for (size_t first = 0; first < logits.size(); first += kBlock) {
    const size_t n = std::min(kBlock, logits.size() - first);
    if (!contains(bucket_.data() + first, n, wanted)) continue;
    for (size_t i = first; i < first + n; ++i)
      if (bucket_[i] == wanted) members_.push_back({static_cast<TokenId>(i), logits[i]});
  }
  if (!std::ranges::is_sorted(members_, more_likely)) std::ranges::sort(members_, more_likely);
  return members_;
}

std::optional<WholeVocabulary::Prefix> WholeVocabulary::reach(std::span<const float> logits, const Sums& sums, double target,
                                                              double total, Reach how) {
  const auto reached = [&](double sum) { return how == Reach::kAtLeast ? sum >= target : sum > target; };
  const auto unsure = [&](double sum) { return std::abs(sum - target) < kUnsure * total; };
  double before = 0;
  size_t bucket = 0;
  for (; bucket < kBuckets && !reached(before + sums.of[bucket]); ++bucket) before += sums.of[bucket];
  if (bucket == kBuckets) return std::nullopt;
  const std::vector<Candidate>& members = sorted(logits, bucket);
  for (size_t i = 0; i < members.size(); ++i) {
    double weight;
    weights_of(&members[i].logit, 1, best_, sums.temperature, &weight);
    const double after = before + weight;
    if (reached(after)) {
      const bool first = bucket == 0 && i == 0;
      if (unsure(after) || (!first && unsure(before))) return std::nullopt;
      return Prefix{bucket, i + 1};
    }
    before = after;
  }
  return std::nullopt;
}

WholeVocabulary::Prefix WholeVocabulary::until_logit(std::span<const float> logits, float least) {
  if (!(least <= best_)) return {0, 1};
  const size_t bucket = bucket_of(least);
  const std::vector<Candidate>& members = sorted(logits, bucket);
  const auto end = std::ranges::find_if(members, [&](const Candidate& c) { return !(c.logit >= least); });
  return {bucket, static_cast<size_t>(end - members.begin())};
}

double WholeVocabulary::sum_of(std::span<const float> logits, const Sums& sums, const Prefix& prefix) {
  double sum = 0;
  for (size_t b = 0; b < prefix.bucket; ++b) sum += sums.of[b];
  const std::vector<Candidate>& members = sorted(logits, prefix.bucket);
  for (size_t i = 0; i < std::min(prefix.tokens, members.size()); ++i) {
    double weight;
    weights_of(&members[i].logit, 1, best_, sums.temperature, &weight);
    sum += weight;
  }
  return sum;
}

std::optional<TokenId> WholeVocabulary::pick(std::span<const float> logits, const Choice& choice) {
  if (!all_numbers(logits)) return std::nullopt;
  best_ = logits[static_cast<size_t>(argmax(logits))];
  if (!std::isfinite(best_) || !(1.0f / choice.temperature > 0) || !std::isfinite(1.0f / choice.temperature))
    return std::nullopt;
  const bool nucleus = choice.top_p < 1;
  warm_.temperature = choice.temperature;
  const Sums& plain = choice.temperature == 1 ? warm_ : plain_;
  Sums* const sums[] = {&warm_, &plain_};
  fill(logits, std::span(sums).first(nucleus && &plain == &plain_ ? 2 : 1));

  Prefix kept;
  if (choice.min_p > 0) kept = until_logit(logits, min_p_logit(best_, choice.min_p));
  if (nucleus) {
    const double target = static_cast<double>(choice.top_p) * plain.total;
    const auto end = reach(logits, plain, target, plain.total, Reach::kAtLeast);
    if (!end) return std::nullopt;
    kept = std::min(kept, *end);
  }
  const bool all = kept.tokens == ~size_t{0};
  const double total = all ? warm_.total : sum_of(logits, warm_, kept);
  const auto drawn = reach(logits, warm_, choice.left * total, total, Reach::kAbove);
  if (!drawn || *drawn > kept) return std::nullopt;
  return sorted(logits, drawn->bucket)[drawn->tokens - 1].id;
}

}  // namespace skald
