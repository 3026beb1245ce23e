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
  apply(filters_);
  tokens_.check();
  return tokens_;
}

void Sampler::apply(std::span<const std::unique_ptr<SamplingFilter>> filters) {
  for (const auto& filter : filters) {
    tokens_.check();
    filter->apply({tokens_, past_, rng_});
  }
}

Sampler::Filters::const_iterator Sampler::find_cut() const {
  const auto cut = std::ranges::find_if_not(filters_, [](const auto& filter) { return filter->only_lowers(); });
  return cut != filters_.end() && (*cut)->keeps_best() ? cut : filters_.end();
}

std::optional<TokenId> Sampler::pick_of_best(std::span<const TokenId> ids, std::span<const float> logits, int64_t n_vocab) {
  const auto cut = find_cut();
  if (cut == filters_.end() || (*cut)->keeps_best() > ids.size()) return std::nullopt;
  tokens_.reset_to_best(ids, logits, static_cast<size_t>(n_vocab));
  for (const TokenId id : banned_) tokens_.drop(id);
  if (tokens_.size() == 0) return std::nullopt;
  apply({filters_.begin(), cut});
  if (!tokens_.has_best((*cut)->keeps_best())) return std::nullopt;
  apply({cut, filters_.cend()});
  tokens_.check();
  return draw();
}

TokenId Sampler::pick(std::span<const float> logits, const TokenMask* allowed) {
  narrow(logits, allowed);
  return draw();
}

}  // namespace skald
