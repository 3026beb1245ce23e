// nvfp4's scales, all of them, and that panels lose none.
#include "quant/nvfp4/block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "quant/f16/block.h"
#include "quant/panels.h"
#include "quant/registry.h"

namespace skald::nvfp4_test {
namespace {

// Half of an unsigned E4M3 by the definition of the format; of a NaN, zero.
float half_of_e4m3(int byte) {
  const int exponent = byte >> 3 & 15, mantissa = byte & 7;
  if (byte == 0x7f) return 0;
  const double value = exponent ? (1 + mantissa / 8.0) * std::exp2(exponent - 7) : mantissa / 8.0 * std::exp2(-6);
  return static_cast<float>(value / 2);
}

TEST(Nvfp4, ScalesAreHalvesOfUnsignedE4M3) {
  const auto scale = [](int byte) { return f16_to_f32(nvfp4_scale(static_cast<uint8_t>(byte))); };
  for (int byte = 0; byte < 256; ++byte) EXPECT_EQ(scale(byte), half_of_e4m3(byte)) << byte;
  EXPECT_EQ(scale(0x7e), 224);
  EXPECT_EQ(scale(0x01), 0x1p-10f);
  EXPECT_EQ(scale(0xff), 240) << "bit 7 says nothing";
}

TEST(Nvfp4, PanelsHoldEveryScaleExactly) {
  const PanelLayout& layout = *find_panels(*find_format(BlockNvfp4::kId));
  for (int byte = 0; byte < 256; byte += 4) {
    BlockNvfp4 b{};
    for (int part = 0; part < 4; ++part) b.d[part] = static_cast<uint8_t>(byte + part);
    std::vector<std::byte> panel(static_cast<size_t>(layout.panel_bytes(BlockNvfp4::kSize)));
    layout.pack({reinterpret_cast<const std::byte*>(&b), sizeof b, 1, BlockNvfp4::kSize}, panel.data());
    const auto* group = reinterpret_cast<const BlockNvfp4::Group*>(panel.data());
    for (int part = 0; part < 4; ++part)
      EXPECT_EQ(f16_to_f32(static_cast<uint16_t>(group->short_d[part][0] << 7)), half_of_e4m3(byte + part)) << byte + part;
  }
}

}  // namespace
}  // namespace skald::nvfp4_test
