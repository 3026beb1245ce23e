// Seeded random numbers: the same on every run and machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace skald::test {

/// n numbers of a normal distribution, by Box and Muller (std::normal_distribution differs between libraries).
inline std::vector<float> normal(int64_t n, uint64_t seed, float spread = 1.0f) {
  std::mt19937_64 bits(seed);
  const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; };
  std::vector<float> out(static_cast<size_t>(n));
  for (float& v : out) {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    v = spread * static_cast<float>(radius * std::cos(2 * std::numbers::pi * uniform()));
  }
  return out;
}

}  // namespace skald::test
