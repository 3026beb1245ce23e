#include "sampling/sampler.h"

#include <algorithm>
#include <random>

#include "sampling/chain.h"

namespace skald {

Sampler::Sampler(const SamplingParams& params)
    : seed_(params.seed == SamplingParams::kRandomSeed ? std::random_device{}() : params.seed), rng_(seed_) {
  params.check();
  for (const FilterDef* def : chain_of(params))
    if (auto filter = def->make(params)) {
      filters_.push_back(std::move(filter));
      keeps_past_ = keeps_past_ || def->reads_past;
    }
}

Sampler::Sampler(const Sampler& other)
    : seed_(other.seed_), rng_(other.rng_), keeps_past_(other.keeps_past_), past_(other.past_), banned_(other.banned_) {
  for (const auto& filter : other.filters_) filters_.push_back(filter->clone());
}

Sampler& Sampler::operator=(const Sampler& other) {
  if (this != &other) *this = Sampler(other);
  return *this;
}

void Sampler::reseed(uint64_t seed) {
  seed_ = seed;
  rng_ = Rng(seed);
}

void Sampler::accept(TokenId id) {
  if (keeps_past_) past_.push_back(id);
  for (const auto& filter : filters_) filter->accept(id);
}

CandidateSet& Sampler::narrow(std::span<const float> logits, const TokenMask* allowed) {
  tokens_.reset(logits);
  if (allowed) tokens_.allow(*allowed);
  for (const TokenId id : banned_) tokens_.drop(id);
  for (const auto& filter : filters_) {
    tokens_.check();
    filter->apply({tokens_, past_, rng_});
  }
  tokens_.check();
  return tokens_;
}

TokenId Sampler::pick(std::span<const float> logits, const TokenMask* allowed) {
  narrow(logits, allowed);
  return draw();
}

}  // namespace skald
