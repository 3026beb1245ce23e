// distance_bias: what attention adds to a score by how far the key lies from the query, from a table by buckets of
// distances: near ones have a bucket each, farther ones share. One half of the buckets is for keys up to the query, the
// other for those after it. Raffel et al., arXiv 1910.10683, section 2.1. Inputs: table (buckets, n_heads) -> (n_heads, 2 *
// reach + 1), of the distances key - query from -reach to reach.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct DistanceBias {
  int64_t reach = 128;  // from here on all distances share the last bucket

  /// Returns the bucket of a distance, of this many.
  static int64_t bucket(int64_t distance, int64_t buckets, int64_t reach);
  std::string describe() const;
  friend bool operator==(const DistanceBias&, const DistanceBias&) = default;
};

extern const OpDef op_distance_bias;

}  // namespace skald
