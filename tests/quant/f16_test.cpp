// f16 conversions over all 65536 values and all midpoints between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "quant/f16/block.h"
#include "quant/registry.h"

namespace skald::f16_test {
namespace {

bool is_nan(uint32_t half) { return (half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0; }

// The value of a finite half by the definition of the format.
double value_of(uint32_t half) {
  const int exponent = static_cast<int>(half >> 10 & 0x1f), mantissa = static_cast<int>(half & 0x3ff);
  const double magnitude = exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24);
  return half & 0x8000 ? -magnitude : magnitude;
}

TEST(F16, DecodesEveryFiniteValueExactly) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    if ((h & 0x7c00) == 0x7c00) continue;
    const float got = f16_to_f32(static_cast<uint16_t>(h));
    ASSERT_EQ(double{got}, value_of(h)) << h;
    ASSERT_EQ(std::signbit(got), (h & 0x8000) != 0) << h;
  }
}

TEST(F16, EveryValueSurvivesTheRoundTrip) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const uint32_t want = is_nan(h) ? h | 0x200 : h;  // signalling NaNs become quiet
    ASSERT_EQ(f32_to_f16(f16_to_f32(static_cast<uint16_t>(h))), want) << h;
  }
}

TEST(F16, RoundsToNearestBetweenAllNeighbours) {
  for (uint32_t h = 0; h < 0x7bff; ++h) {
    const float low = f16_to_f32(static_cast<uint16_t>(h)), high = f16_to_f32(static_cast<uint16_t>(h + 1));
    const float middle = low + (high - low) / 2;  // exact: one bit more than a half has
    const uint32_t even = h & 1 ? h + 1 : h;
    ASSERT_EQ(f32_to_f16(middle), even) << h;
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, low)), h) << h;
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, high)), h + 1) << h;
    ASSERT_EQ(f32_to_f16(-middle), even | 0x8000) << h;
  }
}

TEST(F16, ValuesFrom65520OnBecomeInfinity) {
  EXPECT_EQ(f32_to_f16(65504.0f), 0x7bff);
  EXPECT_EQ(f32_to_f16(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16(-1e30f), 0xfc00);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::infinity()), 0x7c00);
}

TEST(F16, TinyValuesBecomeZerosOfTheirSign) {
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0) << "halfway to the smallest denormal, whose neighbour zero is even";
  EXPECT_EQ(f32_to_f16(std::nextafter(0x1p-25f, 1.0f)), 1);
  EXPECT_EQ(f32_to_f16(-std::numeric_limits<float>::denorm_min()), 0x8000);
}

TEST(F16, NansStayNansWithTheirUpperPayload) {
  EXPECT_EQ(f32_to_f16(std::bit_cast<float>(0x7f800001u)), 0x7e00);
  EXPECT_EQ(f32_to_f16(std::bit_cast<float>(0xffd5e000u)), 0xfeaf);
}

// Codecs go another way than single conversions, for the compiler's vectors.
TEST(F16, CodecsConvertAsSingleConversionsDo) {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 9973)
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (uint32_t h = 0; h < 0x7c00; ++h)  // the halves, their midpoints, and the floats beside these
    for (int step = -1; step <= 1; ++step) {
      const float middle =
          (f16_to_f32(static_cast<uint16_t>(h)) + f16_to_f32(static_cast<uint16_t>(std::min(h + 1, 0x7bffu)))) / 2;
      for (const float sign : {1.0f, -1.0f})
        x.push_back(sign * std::bit_cast<float>(std::bit_cast<uint32_t>(middle) + static_cast<uint32_t>(h ? step : 0)));
    }
  std::vector<uint16_t> halves(x.size());
  format_f16.encode(x.data(), halves.data(), std::ssize(x));
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(halves[i], f32_to_f16(x[i])) << x[i];
  std::vector<uint16_t> all(0x10000);
  std::iota(all.begin(), all.end(), uint16_t{0});
  std::vector<float> decoded(all.size());
  format_f16.decode(all.data(), decoded.data(), std::ssize(all));
  for (size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(decoded[i]), std::bit_cast<uint32_t>(f16_to_f32(all[i]))) << i;
}

}  // namespace
}  // namespace skald::f16_test
