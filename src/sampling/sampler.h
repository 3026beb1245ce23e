// Sampler: one sequence's choice of tokens: penalties over its own past, filters, and a draw from its own generator. A copy
// goes on as the original does: branches of a text fork it.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "sampling/candidates.h"
#include "sampling/whole_vocabulary.h"
#include "skald/sampling_params.h"
#include "skald/types.h"

namespace skald {

class Sampler {
 public:
  /// Throws kBadInput for parameters out of range. A random seed is replaced by one of the system's.
  explicit Sampler(const SamplingParams& params);

  /// Tells the penalties about a token of the prompt or the text.
  void accept(TokenId id);

  /// Tokens that are never chosen, whatever their logits.
  void ban(std::vector<TokenId> ids) { banned_ = std::move(ids); }

  /// Chooses the next token from a row of logits (n_vocab). Does not accept it.
  TokenId pick(std::span<const float> logits);

  uint64_t seed() const { return params_.seed; }
  /// Draws from now on as a new sampler with this seed does; its past stays.
  void reseed(uint64_t seed);

 private:
  std::span<const float> changed(std::span<const float> logits);
  TokenId pick_from_all(std::span<const float> logits);

  SamplingParams params_;
  Rng rng_;
  std::vector<TokenId> past_, banned_;
  // Kept to save allocations:
  std::vector<float> changed_;  // logits
  std::vector<Candidate> candidates_;
  WholeVocabulary whole_;
};

}  // namespace skald
