// What the kernel is given that chooses the likeliest tokens.
#pragma once

#include "kernels/gpu/args.h"
#include "tensor/best_tokens.h"

namespace skald::gpu {

/// What a part of a row of logits gives to the choice of the row's best tokens.
struct BestPart {
  static constexpr int kTokens = 4096;  // of a part

  uint64_t keys[BestTokens::kMost];  // of its best ones
  float top, total;                  // as BestTokens has them
  int32_t strange;                   // logits that are not finite
};

struct BestTokensArgs {
  RowCount rows = {};
  Matrix x = {};
  int n = 0;                  // logits of a row
  BestPart* parts = nullptr;  // (rows, parts of a row)
  int* counters = nullptr;    // (rows): zeros before and after
  BestTokens* out = nullptr;  // (rows)
};

}  // namespace skald::gpu
