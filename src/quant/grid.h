// Grids: the points that the formats iq1_*, iq2_* and iq3_* name by number, as packed hexadecimal digits in each format's
// grid.h. The digits are those that the gguf Python package publishes (gguf/quants.py).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace skald {

/// The coordinates of each point.
template <int kPoints, int kCoordinates>
using Grid = std::array<std::array<int8_t, kCoordinates>, kPoints>;

/// A byte holds 8 / kBits coordinates, the first one lowest, each of which is the number of a level.
template <int kPoints, int kCoordinates, int kBits, size_t kLevels>
constexpr Grid<kPoints, kCoordinates> unpack_grid(std::string_view hex, const std::array<int8_t, kLevels>& levels) {
  constexpr int kPerDigit = 4 / kBits;
  const auto digit = [&](int i) {
    return hex[static_cast<size_t>(i)] - (hex[static_cast<size_t>(i)] > '9' ? 'a' - 10 : '0');
  };
  Grid<kPoints, kCoordinates> grid{};
  for (int i = 0; i < kPoints * kCoordinates; ++i) {
    const int place = i / kPerDigit;  // of a byte's two digits, the second is the lower one
    const int level = digit(place ^ 1) >> i % kPerDigit * kBits & ((1 << kBits) - 1);
    grid[static_cast<size_t>(i / kCoordinates)][static_cast<size_t>(i % kCoordinates)] = levels[static_cast<size_t>(level)];
  }
  return grid;
}

/// Eight signs, bit i that of element i, of which seven bits are stored: there is an even number of negative ones.
constexpr uint8_t even_signs(uint32_t seven) { return static_cast<uint8_t>(seven | (std::popcount(seven) & 1u) << 7); }

/// N values scale * point, negative where `signs` has a bit.
template <size_t N>
float* put_signed(const std::array<int8_t, N>& point, unsigned signs, float scale, float* x) {
  for (size_t i = 0; i < N; ++i) {
    const auto value = std::bit_cast<uint32_t>(scale * static_cast<float>(point[i]));
    *x++ = std::bit_cast<float>(value ^ (signs >> i & 1) << 31);
  }
  return x;
}

}  // namespace skald
