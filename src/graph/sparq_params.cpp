#include "skald/sparq_params.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace skald {

// A ratio's row that reads less keeps too few keys for what the others weigh.
static constexpr int64_t kFewestKeys = 128;
// The part of a ratio's bytes that the scores take: what loses least (docs/long-context.md). In a basis fewer components
// tell as much.
static double score_share(const KeySize& size) { return size.basis ? 0.4 : 0.5; }
// What kept keys may take more than the rest: with less left for the scores, these choose badly.
static constexpr double kMostOver = 0.125;
static double most_for_keys(const KeySize& size) { return 1 - score_share(size) + kMostOver; }

// What a loss of kUsualLoss allows: a ratio for 6,144 keys, which grows with their number. It is the root of a loss.
static constexpr double kRatioOfUsual = 6.7, kUsualKeys = 6144, kMoreOfMore = 1.0 / 6;
static constexpr int64_t kMostMeasured = 32768;

// Where pages are chosen first, the keys of every other one are scored.
static constexpr int64_t kScoredPages = 2;
static constexpr int64_t kPageKeys = 64;
// Bytes that bounds take for a key: two halves for each component of 64 keys.
static double bounds_per_key(const KeySize& size) { return 2.0 * 2.0 * static_cast<double>(size.d_k) / kPageKeys; }

// The ratio at which this many keys cost this much, as Gemma 3 270M does (docs/long-context.md).
static double ratio_of(double loss, int64_t n_keys) {
  const double keys = static_cast<double>(std::min(n_keys, kMostMeasured));
  return kRatioOfUsual * std::sqrt(loss / SparqParams::kUsualLoss) * std::pow(keys / kUsualKeys, kMoreOfMore);
}

// The ratio beyond which too few keys are kept.
static double most_ratio(int64_t n_keys, const KeySize& size) {
  constexpr double kBelow = 1 - 1e-6;  // of where rounding decides
  return kBelow * most_for_keys(size) / kFewestKeys * static_cast<double>(n_keys);
}

// Of a head whose share of the bytes differs. Shares do not make a head dense that a ratio for all would read sparsely.
static double ratio_of_share(double of_all, double share, int64_t n_keys, const KeySize& size) {
  const double most = most_ratio(n_keys, size);
  return of_all >= most ? of_all : std::min(of_all / share, most);
}

// A larger loss reads no more: all losses are dense below the same number of keys, and end where too few are kept.
static double ratio_for_loss(double loss, const SparqPart& part, int64_t n_keys, const KeySize& size) {
  const double most = most_ratio(n_keys, size);
  if (ratio_of(SparqParams::kUsualLoss, n_keys) >= most) return 1;
  return std::min(ratio_of(loss, n_keys) * part.scale / part.share, most);
}

// A ratio gives a part of the bytes to the scores and the rest to the kept keys, and an eighth of the kept keys to the most
// recent. Scores of every other page take half of what they take of all, beside the bounds.
SparqParams::Choice SparqParams::choose_for(double of_ratio, int64_t n_keys, const KeySize& size) const {
  const bool by_pages = selector == KeySelection::kPagesThenSparq;
  const double budget = size.bytes() / of_ratio;  // per key
  Choice c{};
  const double for_keys = 1 - score_share(size);
  c.k2 = std::max<int64_t>(kFewestKeys, std::llround(static_cast<double>(n_keys) * for_keys / of_ratio));
  const double gathered = static_cast<double>(c.k2) * size.bytes() / static_cast<double>(n_keys);
  const double left = budget - gathered;
  const double components = (by_pages ? (left - bounds_per_key(size)) * kScoredPages : left) / size.component_bytes;
  c.k1 = std::clamp<int64_t>(std::llround(components), 1, size.d_k);
  // Too short for this ratio, or nothing is to be saved.
  if (gathered > most_for_keys(size) * budget || of_ratio <= 1) c.k2 = n_keys;
  return c;
}

// Bounds of pages take a part of the bytes, the kept keys all else.
static SparqParams::Choice choose_pages(double ratio, int64_t n_keys, const KeySize& size) {
  const double share = 1 / ratio - bounds_per_key(size) / size.bytes();
  SparqParams::Choice c{};
  c.k2 = std::llround(static_cast<double>(n_keys) * share);
  if (c.k2 < kFewestKeys) c.k2 = n_keys;
  return c;
}

std::string_view SparqParams::index_type() const {
  if (index != "auto") return index;
  return ratio > 0 || loss > 0 ? "int4" : "int8";
}

SparqParams::Choice SparqParams::choose(int64_t n_keys, const KeySize& size, const SparqPart& part) const {
  Choice c{.k1 = std::min(k1, size.d_k), .k2 = k2, .local = 0};
  const bool by_pages = selector == KeySelection::kPagesThenSparq, pages_only = selector == KeySelection::kPages;
  if (pages_only && ratio > 0)
    c = choose_pages(ratio, n_keys, size);
  else if (loss > 0)
    c = choose_for(ratio_for_loss(loss, part, n_keys, size), n_keys, size);
  else if (ratio > 0)
    c = choose_for(ratio_of_share(ratio, part.share, n_keys, size), n_keys, size);
  if ((c.k1 <= 0 && !pages_only) || c.k2 <= 0) c.k2 = n_keys;
  if (by_pages) c.pages = std::max<int64_t>(1, n_keys / kPageKeys / kScoredPages);
  const int64_t usual = loss > 0 || ratio > 0 ? c.k2 / 8 : c.k2 / 4;
  c.local = std::min(local < 0 ? usual : local, c.k2);
  c.scored = pages_only ? 0 : by_pages ? std::min(n_keys, c.pages * kPageKeys) : n_keys;
  if (by_pages || pages_only) c.bounds = n_keys / kPageKeys * 2 * size.d_k;
  return c;
}

// Once there are enough keys that k2 is fewer, more keys do not change that: a ratio's k2 grows more slowly than they do.
std::optional<int64_t> SparqParams::sparse_from(const KeySize& size) const {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();  // positions
  int64_t dense = 0, sparse = kMost + 1;
  while (sparse - dense > 1) {
    const int64_t n = dense + (sparse - dense) / 2;
    (choose(n, size).k2 < n ? sparse : dense) = n;
  }
  return sparse <= kMost ? std::optional(sparse) : std::nullopt;
}

void SparqParams::check() const {
  if (k1 < 0) fail(Errc::kBadInput, "cache.sparq.k1: want 0 (dense) or more query components, got {}", k1);
  if (k2 < 0) fail(Errc::kBadInput, "cache.sparq.k2: want 0 (dense) or more keys, got {}", k2);
  const bool either = (k1 > 0) != (k2 > 0) && selector != KeySelection::kPages;
  if (either && ratio == 0 && loss == 0)
    fail(Errc::kBadInput, "cache.sparq.{}: 0 beside {} decodes densely: want both k1 and k2, or neither", k1 ? "k2" : "k1",
         k1 ? fmt::format("k1 = {}", k1) : fmt::format("k2 = {}", k2));
  if (local < -1) fail(Errc::kBadInput, "cache.sparq.local: want -1 (k2 / 4) or more keys, got {}", local);
  if (loss != 0 && !(loss >= 1e-4 && loss <= 1)) fail(Errc::kBadInput, "cache.sparq.loss: want 0.0001 to 1, got {}", loss);
  if (loss != 0 && (ratio != 0 || k1 || k2)) fail(Errc::kBadInput, "cache.sparq.loss chooses what ratio, k1 and k2 say");
  if (selector != KeySelection::kSparq && loss != 0) fail(Errc::kBadInput, "cache.sparq.loss goes with the selector sparq");
  if (selector == KeySelection::kPages && k1) fail(Errc::kBadInput, "cache.sparq.k1: the selector pages has no components");
  if (selector == KeySelection::kPages && mean.value_or(false))
    fail(Errc::kBadInput, "cache.sparq.mean: the selector pages does not know what other keys weigh");
  if (ratio != 0 && !(ratio >= 1 && ratio <= 1024))
    fail(Errc::kBadInput, "cache.sparq.ratio: want 1 to 1024, got {}", ratio);
  constexpr std::string_view kIndexes[] = {"auto", "int4", "int8", "f16", "none"};
  if (std::ranges::find(kIndexes, index) == std::end(kIndexes))
    fail(Errc::kBadInput, "cache.sparq.index: want auto, int4, int8, f16 or none, got '{}'", index);
}

}  // namespace skald
