// Surprise: the limit of mirostat, which follows how much the tokens of a text surprise.
#pragma once

#include "sampling/candidate_set.h"
#include "skald/sampling_params.h"

namespace skald {

class Surprise {
 public:
  explicit Surprise(const SamplingParams& params);

  /// Bits; mu in the paper.
  double most() const { return most_; }
  /// The tokens from which the next one is drawn.
  void remember(CandidateSet& tokens) { last_ = tokens.shares(); }
  /// The token that came next; one that was not among those changes nothing.
  void accept(TokenId id);

 private:
  double rate_, target_, most_;
  CandidateSet::Shares last_;
};

}  // namespace skald
