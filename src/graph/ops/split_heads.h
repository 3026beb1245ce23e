// split_heads: rows of all heads as rows of each head, in another format; what a static graph gives out as new keys or
// values. Inputs: x (tokens, heads * d) [, scale (1), for integers: their unit] -> (heads, tokens, d).
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct SplitHeads {
  int64_t heads = 0;
  const Format* format = nullptr;
  std::string describe() const;
  friend bool operator==(const SplitHeads&, const SplitHeads&) = default;
};

extern const OpDef op_split_heads;

}  // namespace skald
