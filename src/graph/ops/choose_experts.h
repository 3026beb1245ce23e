// choose_experts: the experts that each token goes to: those with the best scores; Shazeer et al., arXiv 1701.06538.
// Inputs: scores (tokens, experts) [, what is added to choose by, but not to weigh by (experts)] -> ids (tokens, k) i32, the
// best first. Of equal scores the lower id is better; a score that is no number is the worst.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct ChooseExperts {
  int64_t k = 1;
  /// > 1: experts are in this many groups of neighbours, and only those of the best `groups_used` are chosen from. A group
  /// is as good as the sum of its `group_best` best scores. DeepSeek-V2, arXiv 2405.04434 (1); V3, arXiv 2412.19437 (2).
  int64_t groups = 1, groups_used = 1, group_best = 1;

  std::string describe() const;
  friend bool operator==(const ChooseExperts&, const ChooseExperts&) = default;
};

extern const OpDef op_choose_experts;

}  // namespace skald
