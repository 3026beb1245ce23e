// bf16 conversions over all 65536 values and all midpoints between them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "quant/bf16/block.h"

namespace skald {
namespace {

bool is_nan(uint32_t v) { return (v & 0x7fff) > 0x7f80; }

TEST(Bf16, DecodesToTheUpperHalfOfAFloat) {
  for (uint32_t v = 0; v < 0x10000; ++v) ASSERT_EQ(std::bit_cast<uint32_t>(bf16_to_f32(static_cast<uint16_t>(v))), v << 16);
}

TEST(Bf16, EveryValueSurvivesTheRoundTrip) {
  for (uint32_t v = 0; v < 0x10000; ++v) {
    const uint32_t want = is_nan(v) ? v | 0x40 : v;  // signalling NaNs become quiet
    ASSERT_EQ(f32_to_bf16(bf16_to_f32(static_cast<uint16_t>(v))), want) << v;
  }
}

TEST(Bf16, RoundsToNearestEvenBetweenAllNeighbours) {
  for (uint32_t v = 0; v < 0x7f80; ++v) {  // the last one rounds up to infinity
    const float middle = std::bit_cast<float>(v << 16 | 0x8000);
    ASSERT_EQ(f32_to_bf16(middle), v & 1 ? v + 1 : v) << v;
    ASSERT_EQ(f32_to_bf16(std::bit_cast<float>(v << 16 | 0x7fff)), v) << v;
    ASSERT_EQ(f32_to_bf16(std::bit_cast<float>(v << 16 | 0x8001)), v + 1) << v;
  }
}

TEST(Bf16, NansStayNans) {
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x7f800001u)), 0x7fc0);
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0xffffffffu)), 0xffff);
}

TEST(Bf16, KeepsInfinities) {
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::infinity()), 0x7f80);
  EXPECT_EQ(f32_to_bf16(-std::numeric_limits<float>::infinity()), 0xff80);
}

}  // namespace
}  // namespace skald
