#include "convert/stored_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "quant/bf16/block.h"
#include "quant/f16/block.h"
#include "quant/mxfp4/block.h"
#include "quant/registry.h"

namespace skald {
namespace {

using ::testing::ElementsAre;

template <class T>
std::vector<float> read(Element element, const std::vector<T>& data, int64_t first, int64_t stride, int64_t n) {
  const StoredTensor t{"x", element, {static_cast<int64_t>(data.size())}, std::as_bytes(std::span(data))};
  std::vector<float> out(static_cast<size_t>(n));
  t.read(first, stride, n, out.data());
  return out;
}

TEST(StoredTensor, ReadsEveryElementType) {
  EXPECT_THAT(read(Element::kF32, std::vector<float>{1, 2, 3}, 0, 1, 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(read(Element::kF64, std::vector<double>{1, 2.5, 3}, 1, 1, 2), ElementsAre(2.5F, 3));
  EXPECT_THAT(read(Element::kF16, std::vector<uint16_t>{f32_to_f16(1), f32_to_f16(2), f32_to_f16(-3)}, 0, 2, 2),
              ElementsAre(1, -3));
  EXPECT_THAT(read(Element::kBF16, std::vector<uint16_t>{f32_to_bf16(0.5F), f32_to_bf16(8)}, 0, 1, 2), ElementsAre(0.5F, 8));
  EXPECT_THAT(read(Element::kF8E4M3, std::vector<uint8_t>{0x38, 0xb8, 0x40}, 0, 1, 3), ElementsAre(1, -1, 2));
  EXPECT_THAT(read(Element::kF8E5M2, std::vector<uint8_t>{0x3c, 0xbc, 0x40}, 0, 1, 3), ElementsAre(1, -1, 2));
}

// Micikevicius et al., arXiv 2209.05433, table 1.
TEST(StoredTensor, F8HasTheValuesOfItsDefinition) {
  EXPECT_EQ(f8e4m3_to_f32(0x00), 0.0F);
  EXPECT_EQ(f8e4m3_to_f32(0x01), std::ldexp(1.0F, -9));  // smallest denormal
  EXPECT_EQ(f8e4m3_to_f32(0x07), std::ldexp(7.0F, -9));  // largest denormal
  EXPECT_EQ(f8e4m3_to_f32(0x08), std::ldexp(1.0F, -6));  // smallest normal
  EXPECT_EQ(f8e4m3_to_f32(0x7e), 448.0F);                // largest
  EXPECT_TRUE(std::isnan(f8e4m3_to_f32(0x7f)));
  EXPECT_TRUE(std::isnan(f8e4m3_to_f32(0xff)));
  EXPECT_EQ(f8e5m2_to_f32(0x01), std::ldexp(1.0F, -16));
  EXPECT_EQ(f8e5m2_to_f32(0x04), std::ldexp(1.0F, -14));
  EXPECT_EQ(f8e5m2_to_f32(0x7b), 57344.0F);
  EXPECT_TRUE(std::isinf(f8e5m2_to_f32(0xfc)));
}

TEST(StoredTensor, ScalesMultiplyTheirTiles) {
  const std::vector<uint8_t> ones(3 * 5, 0x38);
  const StoredTensor t{"x",
                       Element::kF8E4M3,
                       {3, 5},
                       std::as_bytes(std::span(ones)),
                       {.values = {1, 2, 3, 10, 20, 30}, .tile_rows = 2, .tile_cols = 2, .per_row = 3}};
  std::vector<float> out(15);
  t.read(0, 1, 15, out.data());
  EXPECT_THAT(out, ElementsAre(1, 1, 2, 2, 3, 1, 1, 2, 2, 3, 10, 10, 20, 20, 30));
  t.read(4, 5, 3, out.data());  // the last column
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(out[2], 30);
}

TEST(StoredTensor, MxBlocksHoldTheSameNumbersAfterCopying) {
  std::vector<uint8_t> codes(3 * 16), scales = {127, 120, 130};
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<uint8_t>(i * 37 + 5);
  const StoredTensor t{"x", Element::kMxfp4, {1, 96}, std::as_bytes(std::span(codes)), {}, scales};
  std::vector<float> direct(96), copied(64);
  t.read(0, 1, 96, direct.data());
  EXPECT_EQ(direct[0], std::ldexp(0.5F * static_cast<float>(kMxfp4Levels[codes[0] & 15]), 0));
  EXPECT_EQ(direct[1], std::ldexp(0.5F * static_cast<float>(kMxfp4Levels[codes[0] >> 4]), 0));
  std::vector<std::byte> blocks(2 * sizeof(BlockMxfp4));
  t.copy(32, 1, 64, blocks.data());
  t.format()->decode(blocks.data(), copied.data(), 64);
  EXPECT_TRUE(std::equal(copied.begin(), copied.end(), direct.begin() + 32));
}

TEST(StoredTensor, CopiesKeepTheBits) {
  const std::vector<uint16_t> data = {1, 2, 0x7c01, 4};
  const StoredTensor t{"x", Element::kF16, {4}, std::as_bytes(std::span(data))};
  std::vector<uint16_t> out(2);
  t.copy(0, 2, 2, reinterpret_cast<std::byte*>(out.data()));
  EXPECT_THAT(out, ElementsAre(1, 0x7c01)) << "a signalling NaN too";
  EXPECT_EQ(t.format(), find_format("f16"));
  EXPECT_EQ((StoredTensor{"x", Element::kF64, {1}, {}}).format(), nullptr);
}

}  // namespace
}  // namespace skald
