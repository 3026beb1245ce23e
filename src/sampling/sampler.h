// Sampler: one sequence's choice of tokens: penalties over its own past, filters, and a draw from its own generator.
#pragma once

#include <span>
#include <vector>

#include "base/rng.h"
#include "sampling/candidates.h"
#include "skald/sampling_params.h"
#include "skald/types.h"

namespace skald {

class Sampler {
 public:
  /// Throws kBadInput for parameters out of range. A random seed is replaced by one of the system's.
  explicit Sampler(const SamplingParams& params);

  /// Tells the penalties about a token of the prompt or the text.
  void accept(TokenId id);

  /// Chooses the next token from a row of logits (n_vocab). Does not accept it.
  TokenId pick(std::span<const float> logits);

  uint64_t seed() const { return params_.seed; }

 private:
  bool penalizes() const;
  void penalize(std::vector<Candidate>& candidates) const;

  SamplingParams params_;
  Rng rng_;
  std::vector<TokenId> past_;
  std::vector<Candidate> candidates_;  // kept to save allocations
};

/// The most likely token, ties to the lowest id.
TokenId argmax(std::span<const float> logits);

}  // namespace skald
