// rope: rotates pairs of values of each head by the angles of a rope_table; the other values of a head pass through.
// Inputs: x (tokens, heads * d_head), table (tokens, dims) [, further tables, which heads take in turn] -> as x.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

/// Which values of a head form pair i: (2i, 2i+1) or (i, i + dims/2).
enum class RopePairs : uint8_t { kInterleaved, kHalves };

struct Rope {
  int64_t d_head = 0;
  RopePairs pairs = RopePairs::kInterleaved;
  int64_t first = 0;  // value of a head that is rotated
  std::string describe() const;
  friend bool operator==(const Rope&, const Rope&) = default;
};

extern const OpDef op_rope;

}  // namespace skald
