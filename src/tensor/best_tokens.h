// BestTokens: what a device tells of a row of logits, so that few of them need to be read.
#pragma once

#include <cstdint>

namespace skald {

struct BestTokens {
  static constexpr int kMost = 64;

  int32_t n = 0;               // at most kMost; fewer where the row has no more
  int32_t finite = 0;          // whether no logit of the row is NaN or infinite; else nothing else holds
  float top = 0, total = 0;    // the largest logit, and the sum of exp(logit - top) over the row
  int32_t tokens[kMost] = {};  // the likeliest first, ties by the lower one
  float logits[kMost] = {};    // theirs
};

}  // namespace skald
