// Seeded random numbers: the same on every run and machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <random>
#include <span>
#include <vector>

namespace skald::test {

/// Numbers of a normal distribution, by Box and Muller (std::normal_distribution differs between libraries).
class NormalNumbers {
 public:
  explicit NormalNumbers(uint64_t seed) : bits_(seed) {}
  /// The first n.
  std::span<const float> first(size_t n) {
    while (values_.size() < n) {
      const double radius = std::sqrt(-2 * std::log(uniform()));
      values_.push_back(static_cast<float>(radius * std::cos(2 * std::numbers::pi * uniform())));
    }
    return std::span(values_).first(n);
  }

 private:
  double uniform() { return (static_cast<double>(bits_() >> 11) + 0.5) * 0x1p-53; }

  std::mt19937_64 bits_;
  std::vector<float> values_;
};

/// n of them. Those of the last seeds are kept: drawing them took a third of the time of attention's tests.
inline std::vector<float> normal(int64_t n, uint64_t seed, float spread = 1.0f) {
  constexpr size_t kMostSeeds = 64;
  thread_local std::map<uint64_t, NormalNumbers> drawn;
  if (drawn.size() > kMostSeeds) drawn.clear();
  const auto values = drawn.try_emplace(seed, seed).first->second.first(static_cast<size_t>(n));
  std::vector<float> out(values.begin(), values.end());
  for (float& v : out) v *= spread;
  return out;
}

}  // namespace skald::test
