#include "graph/ops/distance_bias.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "graph/checks.h"

namespace skald {

// In floats: at some distances the rounding of the logarithm decides, and models were trained with it.
int64_t DistanceBias::bucket(int64_t distance, int64_t buckets, int64_t reach) {
  const int64_t half = buckets / 2, exact = half / 2, far = std::abs(distance), first = distance > 0 ? half : 0;
  if (far < exact) return first + far;
  const float share = std::log(static_cast<float>(far) / static_cast<float>(exact)) /
                      static_cast<float>(std::log(static_cast<double>(reach) / static_cast<double>(exact)));
  return first + std::min(half - 1, exact + static_cast<int64_t>(share * static_cast<float>(half - exact)));
}

std::string DistanceBias::describe() const { return fmt::format("up to {}", reach); }

static ValueDesc infer(const DistanceBias& a, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  want_matrix(in[0]);
  if (in[0].shape[0] < 4 || in[0].shape[0] % 4) fail(Errc::kBadInput, "{} buckets: want a multiple of 4", in[0].shape[0]);
  if (a.reach <= in[0].shape[0] / 4)
    fail(Errc::kBadInput, "{} buckets do not fit distances up to {}", in[0].shape[0], a.reach);
  return {&format_f32, Shape{in[0].shape[1], 2 * a.reach + 1}, Rows::kFixed};
}

const OpDef op_distance_bias = define_op<DistanceBias, infer>("distance_bias");

}  // namespace skald
