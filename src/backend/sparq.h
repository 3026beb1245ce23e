// What sparse decoding reads at a given length: see SparqParams.
#pragma once

#include "skald/sparq_params.h"

namespace skald {

struct SparqChoice {
  int64_t k1, k2, local;
};

/// For a row that sees `n_keys` keys of d_k and d_v elements; k2 >= n_keys means dense.
SparqChoice choose_sparq(const SparqParams& params, int64_t n_keys, int64_t d_k, int64_t d_v);

/// Whether the mean value stands in for the other keys, for so many query heads per KV head.
bool sparq_mean(const SparqParams& params, int64_t group);

}  // namespace skald
