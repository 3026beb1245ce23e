// A scale and an offset for a few values: x[i] is about scale * code[i] + offset. Lanes are lines that are tried.
#pragma once

#include "quant/search/levels.h"
#include "quant/search/scale.h"

namespace skald {

struct Line {
  float scale = 0, offset = 0;
  float squares = 0;  // sum(w code^2): the cost of the scale's error
};

/// The least and the largest element, the sum of the weights and the weighted mean.
struct Spread {
  float low, high, weight, mean;
};

template <int n>
inline Spread spread_of(const float* x, const float* w) {
  Lanes low = load_lanes(x), high = low, weight{}, total{};
  for (int i = 0; i < n; i += kLanes) {
    const Lanes v = load_lanes(x + i), wi = load_lanes(w + i);
    low = least(low, v);
    high = largest(high, v);
    weight += wi;
    total += wi * v;
  }
  return {std::min(std::min(low[0], low[1]), std::min(low[2], low[3])),
          std::max(std::max(high[0], high[1]), std::max(high[2], high[3])), sum(weight), sum(total) / sum(weight)};
}

/// Codes 0 to kMaxCode and their weighted sums with values whose mean is 0. Codes are counted from their middle, since the
/// difference of small sums is exact enough.
template <int kMaxCode>
struct LineFit {
  static constexpr int kMiddle = kMaxCode / 2;
  using Codes = Steps<-kMiddle, kMaxCode - kMiddle>;

  float xc = 0, c = 0;  // sums of w x code and w code
  float spread = 1;     // sum of w (code - mean code)^2
  float gain = 0;       // the part of the mean's squared error that the best line takes off

  float scale() const { return xc / spread; }
  float mean_code(float weight) const { return c / weight + kMiddle; }
};

/// Returns the best of `so_far` and of those lines that follow from some, by their inverses and which value has the code 0.
template <int kMaxCode, int n, int kVectors>
inline LineFit<kMaxCode> better_line(const float* x, const float* w, float weight, const Lanes (&inverse)[kVectors],
                                     float zero, const LineFit<kMaxCode>& so_far) {
  using Fit = LineFit<kMaxCode>;
  Lanes xc[kVectors]{}, c[kVectors]{}, cc[kVectors]{}, from[kVectors];
  for (int v = 0; v < kVectors; ++v) from[v] = zero * inverse[v] + Fit::kMiddle;
  for (int i = 0; i < n; ++i) {
    const Lanes xi = all_lanes(x[i]), wi = all_lanes(w[i]);
    for (int v = 0; v < kVectors; ++v) {
      const Lanes code = Fit::Codes::nearest(xi * inverse[v] - from[v]), weighted = wi * code;
      xc[v] += weighted * xi;
      c[v] += weighted;
      cc[v] += weighted * code;
    }
  }
  constexpr int kTries = kLanes * kVectors;
  float all_xc[kTries], all_c[kTries], spreads[kTries], gains[kTries];
  for (int v = 0; v < kVectors; ++v) {
    const Lanes spread = largest(cc[v] - c[v] * c[v] * (1 / weight), all_lanes(1e-30f));
    store_lanes(all_xc + kLanes * v, xc[v]);
    store_lanes(all_c + kLanes * v, c[v]);
    store_lanes(spreads + kLanes * v, spread);
    store_lanes(gains + kLanes * v, xc[v] * xc[v] / spread);
  }
  const int i = place_of_largest(gains);
  return gains[i] > so_far.gain ? Fit{all_xc[i], all_c[i], spreads[i], gains[i]} : so_far;
}

/// Returns the line of least weighted squared error over codes 0 to kMaxCode, among 4 * kVectors and around the best of
/// these. `kFromZero`: its offset is not positive. x, w (n).
template <int kMaxCode, bool kFromZero, int n, int kVectors>
inline Line best_line(const float* x, const float* w, Tries tries) {
  const Spread s = spread_of<n>(x, w);
  const float low = kFromZero ? std::min(s.low, 0.0f) : s.low, range = s.high - low;
  if (range <= kNothing) return {0, kFromZero ? std::min(s.mean, 0.0f) : s.mean, 0};
  float centred[n];
  for (int i = 0; i < n; i += kLanes) store_lanes(centred + i, load_lanes(x + i) - s.mean);
  Lanes inverse[kVectors];
  arithmetic(tries.from / range, tries.step / range, inverse);
  using Fit = LineFit<kMaxCode>;
  Fit best = better_line<kMaxCode, n>(centred, w, s.weight, inverse, low - s.mean, Fit{});
  for (float step = tries.step / 4; best.gain > 0 && step > tries.step / 32; step /= 4) {
    const Lanes around[1] = {1 / best.scale() + step / range * Lanes{-2, -1, 0, 1}};
    best = better_line<kMaxCode, n>(centred, w, s.weight, around, -best.scale() * best.mean_code(s.weight), best);
  }
  const float mean_code = best.mean_code(s.weight), offset = s.mean - best.scale() * mean_code;
  if (kFromZero && offset > 0) {  // rare: all values are positive
    const ScaleFit fit = best_scale<Steps<0, kMaxCode>, n, kVectors>(x, w, tries);
    return {fit.scale, 0, fit.squares};
  }
  return {best.scale(), offset, best.spread + s.weight * mean_code * mean_code};
}

}  // namespace skald
