// Sampler: one sequence's choice of tokens: a chain of filters that know its past, and a draw from its own generator. A copy
// goes on as the original does: branches of a text fork it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "sampling/candidate_set.h"
#include "sampling/filter.h"
#include "skald/sampling_params.h"
#include "skald/types.h"

namespace skald {

class Sampler {
 public:
  /// Throws kBadInput for parameters out of range. A random seed is replaced by one of the system's.
  explicit Sampler(const SamplingParams& params);
  Sampler(const Sampler& other);
  Sampler(Sampler&&) = default;
  Sampler& operator=(const Sampler& other);
  Sampler& operator=(Sampler&&) = default;
  ~Sampler() = default;

  /// Tells the filters about a token of the prompt or the text, drawn by pick() or not.
  void accept(TokenId id);

  /// Tokens that are never chosen, whatever their logits.
  void ban(std::vector<TokenId> ids) { banned_ = std::move(ids); }

  /// Chooses the next token from a row of logits (n_vocab), of those that `allowed` has where it is given. Does not accept
  /// it. Throws kBadInput naming the token for logits that are NaN or +infinity, and where no token is left.
  TokenId pick(std::span<const float> logits, const TokenMask* allowed = nullptr);
  /// The same from the row's most likely tokens alone, by falling logit, ties by the lower id, which are finite; `n_vocab`
  /// is the row's length. Nothing, and nothing is drawn, where the others may count.
  std::optional<TokenId> pick_of_best(std::span<const TokenId> ids, std::span<const float> logits, int64_t n_vocab);
  /// What the chain leaves, from which draw() chooses, as often as it is called, as long as the logits stay as they are.
  CandidateSet& narrow(std::span<const float> logits, const TokenMask* allowed = nullptr);
  TokenId draw() { return tokens_.draw(rng_.uniform()); }

  uint64_t seed() const { return seed_; }
  /// Draws from now on as a new sampler with this seed does; its past stays.
  void reseed(uint64_t seed);

 private:
  using Filters = std::vector<std::unique_ptr<SamplingFilter>>;
  void apply(std::span<const std::unique_ptr<SamplingFilter>> filters);
  /// The first filter that leaves the best tokens alone, after those that only make some less likely; null: there is none.
  Filters::const_iterator find_cut() const;

  uint64_t seed_;
  Rng rng_;
  Filters filters_;
  bool keeps_past_ = false;
  std::vector<TokenId> past_, banned_;
  CandidateSet tokens_;
};

}  // namespace skald
