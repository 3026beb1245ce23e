// q4_0 against known encodings.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "quant/f16/block.h"
#include "quant/q4_0/block.h"
#include "quant/registry.h"
#include "tests/quant/known_blocks.h"

namespace skald {
namespace {

using test::encoded;

const Format& q4_0() { return *find_format(BlockQ4_0::kId); }

TEST(Q4_0, EncodesKnownBlocksToTheirKnownBytes) {
  EXPECT_EQ(encoded(q4_0(), test::ramp()), "c037730ca53fc851fb841da63fd962fb942e");
  EXPECT_EQ(encoded(q4_0(), test::ties()), "f0cb89898989898989897878787878787808");
  EXPECT_EQ(encoded(q4_0(), test::negative_largest()), "0036b8daacc99bb0daadc99cb8dbadca9cb9");
  EXPECT_EQ(encoded(q4_0(), test::zeros()), "008088888888888888888888888888888888");
  EXPECT_EQ(encoded(q4_0(), test::large()), "d06fa1807f5d4c2a09f7e6c4b2918f6e5d3b");
  EXPECT_EQ(encoded(q4_0(), test::thirds()), "abba6c6c5c5b4b4a4a3a3929282818170706");
}

TEST(Q4_0, LowNibblesAreTheFirstHalfOfTheBlock) {
  BlockQ4_0 block{};
  block.d = f32_to_f16(2.0f);
  for (int i = 0; i < 16; ++i) block.q[i] = static_cast<uint8_t>(i | (15 - i) << 4);
  float x[32];
  q4_0().decode(&block, x, 32);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(x[i], 2.0f * static_cast<float>(i - 8));
    EXPECT_EQ(x[16 + i], 2.0f * static_cast<float>(7 - i));
  }
}

TEST(Q4_0, TheElementOfLargestMagnitudeSurvives) {
  EXPECT_EQ(test::round_trip(q4_0(), test::negative_largest())[5], -3.0f);
  EXPECT_EQ(test::round_trip(q4_0(), test::ties())[31], 127.0f);
}

TEST(Q4_0, RoundTripErrsByAtMostOneStep) {
  const auto x = test::ramp(), y = test::round_trip(q4_0(), x);
  const float step = 3.875f / 8;  // the code +8 is missing, hence a whole step at the far end
  for (size_t i = 0; i < 32; ++i) EXPECT_LE(std::abs(x[i] - y[i]), step) << i;
}

TEST(Q4_0, NansAndScalesThatUnderflowDecodeToFiniteNumbers) {
  test::Block32 x = test::zeros();
  x[0] = 1;
  x[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isfinite(test::round_trip(q4_0(), x)[1]));
  x = test::zeros();
  x[0] = std::numeric_limits<float>::denorm_min() * 16;
  EXPECT_EQ(test::round_trip(q4_0(), x)[0], 0.0f);
}

}  // namespace
}  // namespace skald
