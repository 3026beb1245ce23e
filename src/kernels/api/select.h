// Selection of the k largest of n floats: the keys and the query components that sparse attention reads.
#pragma once

#include <cstdint>

namespace skald {

/// Writes the places of the k largest of n floats, ascending; of equal values the first ones. -0 equals +0; NaNs are below
/// everything else, and equal. Exact, denormals included, and the same on every tier. 0 <= k <= n < 2^31.
struct SelectTopArgs {
  const float* x;    // (n)
  int32_t* indices;  // (k)
  int64_t n, k;
  int32_t* scratch;  // select_top_scratch(n) values
};

/// Room that each of the two lists in the scratch has beyond n: whole vectors are written at its end.
inline constexpr int64_t kSelectSlack = 16;

[[gnu::always_inline]] constexpr int64_t select_top_scratch(int64_t n) { return 2 * (n + kSelectSlack); }

}  // namespace skald
