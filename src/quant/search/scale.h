// One scale for a few values: x[i] is about scale * level[i]. Lanes are scales that are tried.
#pragma once

#include <cmath>

#include "quant/magnitudes.h"
#include "quant/search/lanes.h"

namespace skald {

inline constexpr float kNothing = 1e-12f;  // magnitudes up to here are 0 in every format with f16 scales

/// Where the search begins: the extreme value becomes from, from + step, ...
struct Tries {
  float from, step;
};

/// first, first + step, ...
template <int kVectors>
inline void arithmetic(float first, float step, Lanes (&out)[kVectors]) {
  for (int v = 0; v < kVectors; ++v) out[v] = first + step * (Lanes{0, 1, 2, 3} + static_cast<float>(kLanes * v));
}

/// With the levels that are nearest for some scale, and the sums a of w x level and b of w level^2, the best scale is a / b.
/// It takes a^2 / b off the squared error of the scale 0.
struct ScaleFit {
  float scale = 0;
  float squares = 0;  // b: the cost of the scale's error
  float gain = 0;
};

/// Returns the best of `so_far` and of those scales that follow from some inverses. x, w (n).
template <class Levels, int n, int kVectors>
inline ScaleFit better_scale(const float* x, const float* w, const Lanes (&inverse)[kVectors], const ScaleFit& so_far) {
  Lanes products[kVectors]{}, squares[kVectors]{};
  for (int i = 0; i < n; ++i) {
    const Lanes xi = all_lanes(x[i]), wi = all_lanes(w[i]);
    for (int v = 0; v < kVectors; ++v) {
      const Lanes level = Levels::nearest(xi * inverse[v]), weighted = wi * level;
      products[v] += weighted * xi;
      squares[v] += weighted * level;
    }
  }
  constexpr int kTries = kLanes * kVectors;
  float scales[kTries], all_squares[kTries], gains[kTries];
  for (int v = 0; v < kVectors; ++v) {
    const Lanes scale = products[v] / largest(squares[v], all_lanes(1e-30f));
    store_lanes(scales + kLanes * v, scale);
    store_lanes(all_squares + kLanes * v, squares[v]);
    store_lanes(gains + kLanes * v, scale * products[v]);
  }
  const int i = place_of_largest(gains);
  return gains[i] > so_far.gain ? ScaleFit{scales[i], all_squares[i], gains[i]} : so_far;
}

/// Returns the scale of least weighted squared error among 4 * kVectors, and around the best of these. x, w (n).
template <class Levels, int n, int kVectors>
inline ScaleFit best_scale(const float* x, const float* w, Tries tries) {
  const float peak = peak_of<n>(x);
  if (std::abs(peak) <= kNothing) return {};
  Lanes inverse[kVectors];
  arithmetic(tries.from / peak, tries.step / peak, inverse);
  ScaleFit best = better_scale<Levels, n>(x, w, inverse, {});
  for (float step = tries.step / 4; best.gain > 0 && step > tries.step / 32; step /= 4) {
    const Lanes around[1] = {1 / best.scale + step / peak * Lanes{-2, -1, 0, 1}};
    best = better_scale<Levels, n>(x, w, around, best);
  }
  return best;
}

}  // namespace skald
