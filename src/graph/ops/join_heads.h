// join_heads: a's head followed by b's, for each head; a (rows, heads * n), b (rows, heads * m), or (rows, m) where all
// heads share it -> (rows, heads * (n + m)).
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct JoinHeads {
  int64_t heads = 1;
  bool shared = false;  // b is one for all
  std::string describe() const;
  friend bool operator==(const JoinHeads&, const JoinHeads&) = default;
};

extern const OpDef op_join_heads;

}  // namespace skald
