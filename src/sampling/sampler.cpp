#include "sampling/sampler.h"

#include <cmath>
#include <limits>
#include <random>

#include "base/want.h"
#include "sampling/filters/min_p.h"
#include "sampling/filters/penalties.h"
#include "sampling/filters/top_k.h"
#include "sampling/filters/top_p.h"

namespace skald {
namespace {

SamplingParams with_seed(SamplingParams params) {
  params.check();
  if (params.seed == SamplingParams::kRandomSeed) params.seed = std::random_device{}();
  return params;
}

}  // namespace

void SamplingParams::check() const {
  want(temperature >= 0 && std::isfinite(temperature), "sampling.temperature", "a number of at least 0");
  want(top_k >= 0, "sampling.top_k", "0 (all) or more");
  want(top_p >= 0 && top_p <= 1, "sampling.top_p", "a number from 0 to 1");
  want(min_p >= 0 && min_p <= 1, "sampling.min_p", "a number from 0 to 1");
  want(repeat_penalty > 0 && std::isfinite(repeat_penalty), "sampling.repeat_penalty", "a number above 0");
  want(std::isfinite(presence_penalty), "sampling.presence_penalty", "a finite number");
  want(std::isfinite(frequency_penalty), "sampling.frequency_penalty", "a finite number");
  want(repeat_last_n >= -1, "sampling.repeat_last_n", "-1 (all), 0 (none) or more");
}

Sampler::Sampler(const SamplingParams& params) : params_(with_seed(params)), rng_(params_.seed) {}

void Sampler::reseed(uint64_t seed) {
  params_.seed = seed;
  rng_ = Rng(seed);
}

void Sampler::accept(TokenId id) {
  if (penalizes(params_)) past_.push_back(id);
}

TokenId Sampler::pick(std::span<const float> logits) {
  if (penalizes(params_) || !banned_.empty()) logits = changed(logits);
  if (params_.temperature == 0) return argmax(logits);
  if (params_.top_k == 0 || static_cast<size_t>(params_.top_k) >= logits.size()) return pick_from_all(logits);
  top_k_of(logits, params_.top_k, candidates_);
  keep_top_p(candidates_, params_.top_p);
  keep_min_p(candidates_, params_.min_p);
  return draw(candidates_, params_.temperature, rng_.uniform());
}

std::span<const float> Sampler::changed(std::span<const float> logits) {
  changed_.assign(logits.begin(), logits.end());
  if (penalizes(params_)) penalize(params_, past_, changed_);
  for (const TokenId id : banned_)
    if (id >= 0 && static_cast<size_t>(id) < changed_.size())
      changed_[static_cast<size_t>(id)] = -std::numeric_limits<float>::infinity();
  return changed_;
}

TokenId Sampler::pick_from_all(std::span<const float> logits) {
  const double left = rng_.uniform();
  if (const auto id = whole_.pick(logits, {params_.temperature, params_.top_p, params_.min_p, left})) return *id;
  candidates_.clear();
  for (size_t i = 0; i < logits.size(); ++i) candidates_.push_back({static_cast<TokenId>(i), logits[i]});
  keep_top_k(candidates_, 0);
  keep_top_p(candidates_, params_.top_p);
  keep_min_p(candidates_, params_.min_p);
  return draw(candidates_, params_.temperature, left);
}

}  // namespace skald
