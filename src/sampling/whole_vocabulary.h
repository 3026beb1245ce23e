// WholeVocabulary: draws from all tokens, as top_k = 0 asks for, without sorting them. Tokens are counted into buckets by
// logit; only the bucket that a limit or the draw falls into is sorted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sampling/candidates.h"

namespace skald {

class WholeVocabulary {
 public:
  struct Choice {
    float temperature;  // > 0
    float top_p;        // 1: off
    float min_p;        // 0: off
    double left;        // of [0, 1): where in the distribution the draw falls
  };

  /// The token that sorting all of them, keep_top_p, keep_min_p and draw() give. nullopt where a sum comes so close to a
  /// limit that the order of additions could decide, and where a logit is no number or the best one is infinite: then
  /// whoever asks must sort.
  std::optional<TokenId> pick(std::span<const float> logits, const Choice& choice);

 private:
  static constexpr size_t kBuckets = 4096;
  static constexpr float kPerNat = 64;  // buckets; the last one has all that is less likely

  /// A prefix of the order from most to least likely: all buckets before one, and some of that one's tokens.
  struct Prefix {
    size_t bucket = kBuckets - 1;
    size_t tokens = ~size_t{0};
    friend auto operator<=>(const Prefix&, const Prefix&) = default;
  };
  /// Sums of weights by bucket: exp((logit - best) / temperature).
  struct Sums {
    float temperature = 1;
    std::array<double, kBuckets> of = {};
    double total = 0;
  };
  enum class Reach : uint8_t { kAtLeast, kAbove };

  void fill(std::span<const float> logits, std::span<Sums* const> sums);
  const std::vector<Candidate>& sorted(std::span<const float> logits, size_t bucket);
  uint16_t bucket_of(float logit) const;
  /// The first token at which the sum from the most likely one on reaches `target`, as a prefix that ends with it.
  std::optional<Prefix> reach(std::span<const float> logits, const Sums& sums, double target, double total, Reach how);
  Prefix until_logit(std::span<const float> logits, float least);
  double sum_of(std::span<const float> logits, const Sums& sums, const Prefix& prefix);

  float best_ = 0;
  Sums plain_, warm_;             // at temperature 1, and at the choice's
  std::vector<uint16_t> bucket_;  // of each token
  std::vector<Candidate> members_;
  size_t members_of_ = kBuckets;  // the bucket whose tokens these are
};

}  // namespace skald
