// The levels of codes, for the searches for scales. `nearest` gives the levels nearest to four numbers, `numbers` says which
// ones these are, counted from the lowest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "quant/search/lanes.h"

namespace skald {

/// The integers from kLow to kHigh.
template <int kLow, int kHigh>
struct Steps {
  static Lanes nearest(Lanes v) { return rounded(least(largest(v, all_lanes(kLow)), all_lanes(kHigh))); }
  static Lanes numbers(Lanes v) { return nearest(v) - all_lanes(kLow); }
};

/// Any rising numbers.
template <const auto& kLevels>
struct Table {
  static Lanes nearest(Lanes v) {
    Lanes out = all_lanes(kLevels[0]);
    for (size_t i = 1; i < kLevels.size(); ++i) {
      const float border = (kLevels[i - 1] + kLevels[i]) / 2;
      out += v > border ? all_lanes(kLevels[i] - kLevels[i - 1]) : Lanes{};
    }
    return out;
  }

  static Lanes numbers(Lanes v) {
    Lanes out{};
    for (size_t i = 1; i < kLevels.size(); ++i) out += v > (kLevels[i - 1] + kLevels[i]) / 2 ? all_lanes(1) : Lanes{};
    return out;
  }
};

/// The numbers of the levels nearest to (x[i] + offset) / scale. x, codes (n).
template <class Levels, int n>
inline void put_numbers(const float* x, float scale, float offset, uint8_t* codes) {
  const Lanes inverse = all_lanes(scale != 0 ? 1 / scale : 0);
  for (int i = 0; i < n; i += kLanes) {
    const Lanes numbers = Levels::numbers((load_lanes(x + i) + all_lanes(offset)) * inverse);
    const auto whole = __builtin_convertvector(numbers, int __attribute__((vector_size(16))));
    for (int j = 0; j < kLanes; ++j) codes[i + j] = static_cast<uint8_t>(whole[j]);
  }
}

/// Returns the weighted squared errors with four scales, and with offsets that are subtracted. x, w (n).
template <class Levels, int n>
inline Lanes errors_at(const float* x, const float* w, Lanes scale, Lanes offset = Lanes{}) {
  const Lanes inverse = scale != 0 ? 1 / scale : Lanes{};
  Lanes out{};
  for (int i = 0; i < n; ++i) {
    const Lanes value = all_lanes(x[i]) + offset, error = value - scale * Levels::nearest(value * inverse);
    out += all_lanes(w[i]) * error * error;
  }
  return out;
}

}  // namespace skald
