#include "skald/sparq_params.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace skald {

// A ratio's row that reads less keeps too few keys for what the others weigh.
static constexpr int64_t kFewestKeys = 128;
// Most of the transfer that kept keys may take: with less left for the scores, these choose badly.
static constexpr double kMostForKeys = 0.625;

// The paper counts elements: S k1 for the scores and k2 (d_k + d_v) for the kept keys, of S (d_k + d_v). A ratio gives both
// half of the transfer, and an eighth of the kept keys to the most recent: what loses least (docs/long-context.md).
SparqParams::Choice SparqParams::choose(int64_t n_keys, int64_t d_k, int64_t d_v) const {
  Choice c{std::min(k1, d_k), k2, 0};
  if (ratio > 0) {
    const double budget = static_cast<double>(d_k + d_v) / ratio;  // elements per key
    c.k2 = std::max<int64_t>(kFewestKeys, std::llround(static_cast<double>(n_keys) / (2 * ratio)));
    const double gathered = static_cast<double>(c.k2 * (d_k + d_v)) / static_cast<double>(n_keys);
    c.k1 = std::clamp<int64_t>(std::llround(budget - gathered), 1, d_k);
    // Too short for this ratio, or nothing is to be saved.
    if (gathered > kMostForKeys * budget || ratio <= 1) c.k2 = n_keys;
  }
  if (c.k1 <= 0 || c.k2 <= 0) c.k2 = n_keys;
  const int64_t usual = ratio > 0 ? c.k2 / 8 : c.k2 / 4;
  c.local = std::min(local < 0 ? usual : local, c.k2);
  return c;
}

// Once there are so many keys that k2 is fewer, more keys do not change that: a ratio's k2 grows more slowly than they do.
std::optional<int64_t> SparqParams::sparse_from(int64_t d_k, int64_t d_v) const {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();  // positions
  int64_t dense = 0, sparse = kMost + 1;
  while (sparse - dense > 1) {
    const int64_t n = dense + (sparse - dense) / 2;
    (choose(n, d_k, d_v).k2 < n ? sparse : dense) = n;
  }
  return sparse <= kMost ? std::optional(sparse) : std::nullopt;
}

void SparqParams::check() const {
  if (k1 < 0) fail(Errc::kBadInput, "cache.sparq.k1: want 0 (dense) or more query components, got {}", k1);
  if (k2 < 0) fail(Errc::kBadInput, "cache.sparq.k2: want 0 (dense) or more keys, got {}", k2);
  if (local < -1) fail(Errc::kBadInput, "cache.sparq.local: want -1 (k2 / 4) or more keys, got {}", local);
  if (ratio != 0 && !(ratio >= 1 && ratio <= 1024))
    fail(Errc::kBadInput, "cache.sparq.ratio: want 1 to 1024, got {}", ratio);
  if (index != "int8" && index != "f16" && index != "none")
    fail(Errc::kBadInput, "cache.sparq.index: want int8, f16 or none, got '{}'", index);
}

}  // namespace skald
