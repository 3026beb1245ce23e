#include "sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <unordered_map>

#include "base/error.h"

namespace skald {
namespace {

SamplingParams settled(SamplingParams params) {
  params.check();
  if (params.seed == SamplingParams::kRandomSeed) params.seed = std::random_device{}();
  return params;
}

void want(bool ok, const char* name, const char* range) {
  if (!ok) fail(Errc::kBadInput, "{}: want {}", name, range);
}

}  // namespace

void SamplingParams::check() const {
  want(temperature >= 0 && std::isfinite(temperature), "temperature", "a number of at least 0");
  want(top_k >= 0, "top-k", "0 (all) or more");
  want(top_p >= 0 && top_p <= 1, "top-p", "a number from 0 to 1");
  want(min_p >= 0 && min_p <= 1, "min-p", "a number from 0 to 1");
  want(repeat_penalty > 0 && std::isfinite(repeat_penalty), "repeat-penalty", "a number above 0");
  want(std::isfinite(presence_penalty), "presence-penalty", "a finite number");
  want(std::isfinite(frequency_penalty), "frequency-penalty", "a finite number");
  want(repeat_last_n >= -1, "repeat-last-n", "-1 (all), 0 (none) or more");
}

Sampler::Sampler(const SamplingParams& params) : params_(settled(params)), rng_(params_.seed) {}

void Sampler::accept(TokenId id) {
  if (penalizes()) past_.push_back(id);
}

bool Sampler::penalizes() const {
  return params_.repeat_last_n != 0 &&
         (params_.repeat_penalty != 1.0f || params_.presence_penalty != 0 || params_.frequency_penalty != 0);
}

// As in llama.cpp: the repeat penalty divides positive logits and multiplies negative ones.
void Sampler::penalize(std::vector<Candidate>& candidates) const {
  const size_t n =
      params_.repeat_last_n < 0 ? past_.size() : std::min(past_.size(), static_cast<size_t>(params_.repeat_last_n));
  std::unordered_map<TokenId, int> counts;
  for (TokenId id : std::span(past_).last(n)) ++counts[id];
  for (const auto& [id, count] : counts) {
    if (id < 0 || static_cast<size_t>(id) >= candidates.size()) continue;
    float& logit = candidates[static_cast<size_t>(id)].logit;
    logit = logit > 0 ? logit / params_.repeat_penalty : logit * params_.repeat_penalty;
    logit -= params_.presence_penalty + params_.frequency_penalty * static_cast<float>(count);
  }
}

TokenId Sampler::pick(std::span<const float> logits) {
  if (params_.temperature == 0 && !penalizes()) return argmax(logits);
  candidates_.clear();
  for (size_t i = 0; i < logits.size(); ++i) candidates_.push_back({static_cast<TokenId>(i), logits[i]});
  if (penalizes()) penalize(candidates_);
  keep_top_k(candidates_, params_.temperature == 0 ? 1 : params_.top_k);
  if (params_.temperature == 0) return candidates_[0].id;
  keep_top_p(candidates_, params_.top_p);
  keep_min_p(candidates_, params_.min_p);
  double left = rng_.uniform();
  const std::vector<double> shares = probabilities(candidates_, params_.temperature);
  for (size_t i = 0; i < shares.size(); ++i) {
    left -= shares[i];
    if (left < 0) return candidates_[i].id;
  }
  return candidates_.back().id;
}

TokenId argmax(std::span<const float> logits) {
  Candidate best{0, logits[0]};
  for (size_t i = 1; i < logits.size(); ++i) {
    const Candidate c{static_cast<TokenId>(i), logits[i]};
    if (more_likely(c, best)) best = c;
  }
  return best.id;
}

}  // namespace skald
