// q8_0 against known encodings.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "quant/f16/block.h"
#include "quant/q8_0/block.h"
#include "quant/registry.h"
#include "tests/quant/known_blocks.h"

namespace skald {
namespace {

using test::encoded;

const Format& q8_0() { return *find_format(BlockQ8_0::kId); }

TEST(Q8_0, EncodesKnownBlocksToTheirKnownBytes) {
  EXPECT_EQ(encoded(q8_0(), test::ramp()), "d027ae46d76f009129ba52e37b0c9e35c75ef08119aa42d36bfc8d25b64edf77089a");
  EXPECT_EQ(encoded(q8_0(), test::ties()), "003cf0f1f2f3f4f5f6f7f8f9fafbfcfdfeff0102030405060708090a0b0c0d0e0f7f");
  EXPECT_EQ(encoded(q8_0(), test::negative_largest()),
            "0c260022451335812547153805284a183a082a4d1a3d0b2d4f1d400d305220421032");
  EXPECT_EQ(encoded(q8_0(), test::zeros()), "00000000000000000000000000000000000000000000000000000000000000000000");
  EXPECT_EQ(encoded(q8_0(), test::large()), "e05f9981674f382008f0d8c0a991775f47301800e8d0b9a1896f57402810f8e0c8b1");
  EXPECT_EQ(encoded(q8_0(), test::thirds()), "b82abac1c7cdd4dae0e7edf3fa00060d131920262c33393f464c53595f666c72797f");
}

TEST(Q8_0, DecodesToScaleTimesByte) {
  BlockQ8_0 block{};
  block.d = f32_to_f16(0.5f);
  for (int i = 0; i < 32; ++i) block.q[i] = static_cast<int8_t>(i * 8 - 128);
  float x[32];
  q8_0().decode(&block, x, 32);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(x[i], 0.5f * static_cast<float>(i * 8 - 128));
}

TEST(Q8_0, EachBlockHasItsOwnScale) {
  float x[64] = {}, y[64];
  x[0] = 1;
  x[32] = 1000;
  BlockQ8_0 blocks[2];
  q8_0().encode(x, blocks, 64);
  q8_0().decode(blocks, y, 64);
  EXPECT_NEAR(y[0], 1, 1e-3);
  EXPECT_NEAR(y[32], 1000, 1);
}

TEST(Q8_0, RoundTripErrsByAtMostHalfAStep) {
  const auto x = test::thirds(), y = test::round_trip(q8_0(), x);
  const float step = 20.0f / 3 / 127;
  // The rounding of the scale to f16 adds 2^-11 of the value.
  for (size_t i = 0; i < 32; ++i) EXPECT_LE(std::abs(x[i] - y[i]), step / 2 + std::abs(x[i]) * 0x1p-11f) << i;
}

TEST(Q8_0, WhatNoByteHoldsBecomesZero) {
  test::Block32 x = test::zeros();
  x[0] = 1;
  x[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(test::round_trip(q8_0(), x)[1], 0.0f);
  x = test::zeros();
  x[0] = std::numeric_limits<float>::denorm_min() * 512;  // 1 / scale overflows
  EXPECT_EQ(test::round_trip(q8_0(), x)[0], 0.0f);
}

}  // namespace
}  // namespace skald
