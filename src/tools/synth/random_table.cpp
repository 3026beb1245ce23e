#include "tools/synth/random_table.h"

#include <cmath>

#include "base/rng.h"

namespace skald {

Buffer random_table(int64_t rows, int64_t cols, uint64_t seed) {
  const int64_t n = rows * cols;
  Buffer table(n * static_cast<int64_t>(sizeof(float)));
  auto* out = table.as<float>();
  Rng rng(seed);
  // The sum of four uniform numbers is normal enough.
  for (int64_t i = 0; i < n; ++i)
    out[i] = static_cast<float>((rng.uniform() + rng.uniform() + rng.uniform() + rng.uniform() - 2) * std::sqrt(3.0));
  return table;
}

}  // namespace skald
