// linear: y = x W^T; x (rows, k) f32, W (n, k) in any format -> (rows, n) f32. Several weights are multiplied by in one pass
// over x, as if they were one: their columns lie side by side.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

/// How a weight is split when several ranks share a model: by output rows, by input columns, or not at all.
enum class Shard : uint8_t { kNone, kRows, kCols };

struct Linear {
  Shard shard = Shard::kNone;
  std::string describe() const;
  friend bool operator==(const Linear&, const Linear&) = default;
};

extern const OpDef op_linear;

}  // namespace skald
