// Sine and cosine of angles in double, to the precision of floats: without the path for large arguments that a library's
// have, which takes memory of each thread.
#pragma once

#include "kernels/gpu/simt.h"

namespace skald::gpu {

struct SineCosine {
  float sine, cosine;
};

/// |angle| < 2^30. Reduced by quarters of a turn in two steps (Cody & Waite, 1980), then the series of both on [-pi/4,
/// pi/4].
SIMT_DEV SineCosine sine_cosine(double angle) {
  constexpr double kQuarters = 0.63661977236758134308;                                            // 2 / pi
  constexpr double kQuarter = 1.57079632679489655800, kQuarterRest = 6.12323399573676603587e-17;  // pi / 2
  const double scaled = angle * kQuarters;
  const auto turns = static_cast<int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
  const auto n = static_cast<double>(turns);
  const double x = simt::fma1(-n, kQuarterRest, simt::fma1(-n, kQuarter, angle)), square = x * x;
  double s = 1.0 / 6227020800, c = -1.0 / 87178291200;  // 1 / 13!, -1 / 14!
  s = simt::fma1(s, square, -1.0 / 39916800);
  s = simt::fma1(s, square, 1.0 / 362880);
  s = simt::fma1(s, square, -1.0 / 5040);
  s = simt::fma1(s, square, 1.0 / 120);
  s = simt::fma1(s, square, -1.0 / 6);
  s = simt::fma1(s * square, x, x);
  c = simt::fma1(c, square, 1.0 / 479001600);
  c = simt::fma1(c, square, -1.0 / 3628800);
  c = simt::fma1(c, square, 1.0 / 40320);
  c = simt::fma1(c, square, -1.0 / 720);
  c = simt::fma1(c, square, 1.0 / 24);
  c = simt::fma1(c, square, -1.0 / 2);
  c = simt::fma1(c, square, 1.0);
  const auto quadrant = static_cast<int>(turns & 3);
  const double sine = quadrant % 2 ? c : s, cosine = quadrant % 2 ? s : c;
  return {static_cast<float>(quadrant < 2 ? sine : -sine),
          static_cast<float>(quadrant == 0 || quadrant == 3 ? cosine : -cosine)};
}

}  // namespace skald::gpu
