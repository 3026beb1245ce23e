// ExpertsPart: the experts that one of several ranks has: tokens' other experts are those of other ranks.
#pragma once

#include <string>

#include "graph/op.h"
#include "tensor/activation.h"

namespace skald {

/// Of mix_experts_part. The weights have the experts from `first` on, as many as they have matrices, of `all`.
struct ExpertsPart {
  int64_t first = 0, all = 0;

  std::string describe() const;
  friend bool operator==(const ExpertsPart&, const ExpertsPart&) = default;
};

/// Of expert_glu_part.
struct ExpertGluPart {
  Activation function = Activation::kSilu;
  ExpertsPart part = {};

  std::string describe() const;
  friend bool operator==(const ExpertGluPart&, const ExpertGluPart&) = default;
};

/// Throws kBadInput where `n` experts from the first one on are not of `all`.
void want_part(const ExpertsPart& part, int64_t n);

}  // namespace skald
