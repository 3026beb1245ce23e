#include "skald/static_params.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "kv/static_spec.h"

namespace skald {

void StaticParams::check() const {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();  // of positions
  if (context < 2 || context > kMost)
    fail(Errc::kBadInput, "cache.static_shapes.context: {} keys: want 2 to {}", context, kMost);
  doing("cache.static_shapes.reserve", [&] { static_reserve(reserve); });
  if (bits != 8 && bits != 16) fail(Errc::kBadInput, "cache.static_shapes.bits: {}: want 8 or 16", bits);
  if (bits != 8 && !scales.empty())
    fail(Errc::kBadInput, "cache.static_shapes.scales: only cache.static_shapes.bits 8 has scales");
  const auto usable = [](float x) { return std::isfinite(x) && x >= std::numeric_limits<float>::min(); };
  if (!std::ranges::all_of(scales, usable)) fail(Errc::kBadInput, "cache.static_shapes.scales: want positive numbers");
}

}  // namespace skald
