// Beam search: which texts end and which go on, when the best candidates of all live ones are known. A pure decision, tested
// without a model.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "skald/engine.h"

namespace skald {

/// A live text as the search sees it.
struct LiveText {
  double log_prob;                           // of all its tokens
  std::span<const TokenLogProb> candidates;  // for its next one, the likeliest first, ties by the lower id
};

/// A live text and one of its candidates.
struct LongerText {
  size_t parent;  // index into the live texts
  TokenLogProb next;
  double log_prob;  // of all its tokens
};

/// What becomes of the live texts, the likeliest first.
struct BeamGeneration {
  std::vector<LongerText> ended, live;  // at most `beams` of each
};

/// Extends the texts `live`, the best first. Candidates compete by the sum of their log-probabilities, ties by the better
/// text, then by the lower id. One that `ends` a text does so among the first `beams`, and is dropped after them. Of the
/// others the first `beams` go on. Each text brings that many candidates, and one more for each token that ends a text,
/// unless it has no more.
BeamGeneration next_generation(std::span<const LiveText> live, int beams, const std::function<bool(TokenId)>& ends);

/// Gives the score by which texts compare in the end: log_prob / tokens ^ penalty.
double beam_score(double log_prob, int64_t tokens, double penalty);

/// Gives the best score that a live text of this many tokens may come to, where it has at most `most` of them in the end.
double best_reach(double log_prob, int64_t tokens, int64_t most, double penalty);

}  // namespace skald
