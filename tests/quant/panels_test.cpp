// Packing: every weight of every row is found again, at the place that the layout gives it.
#include "quant/panels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "quant/bf16/block.h"
#include "quant/f16/block.h"
#include "quant/f32/block.h"
#include "quant/q4_0/block.h"
#include "quant/q8_0/block.h"
#include "quant/registry.h"
#include "tests/support/guarded.h"
#include "tests/support/random.h"

namespace skald {
namespace {

// The value at (row, column) of a panel.
float value(const GroupF32* g, int64_t row, int64_t c) { return g[c].x[row]; }
float value(const GroupF16* g, int64_t row, int64_t c) { return f16_to_f32(g[c].x[row]); }
float value(const GroupBf16* g, int64_t row, int64_t c) { return bf16_to_f32(g[c / 2].x[row][c % 2]); }
float value(const GroupQ8_0* g, int64_t row, int64_t c) {
  const int64_t block = c / 32 % 2, i = c % 32;
  return f16_to_f32(g[c / 64].d[block][row]) * static_cast<float>(g[c / 64].q[block][i / 4][row][i % 4] - 128);
}
float value(const GroupQ4_0* g, int64_t row, int64_t c) {
  const int64_t block = c / 32 % 2, i = c % 32;
  const int both = g[c / 64].q[block][i % 16 / 4][row][i % 4], code = i < 16 ? both & 15 : both >> 4;
  return f16_to_f32(g[c / 64].d[block][row]) * static_cast<float>(code - 8);
}

template <class Block>
class Panels : public testing::Test {};
using Blocks = testing::Types<BlockF32, BlockF16, BlockBf16, BlockQ8_0, BlockQ4_0>;
TYPED_TEST_SUITE(Panels, Blocks, );

TYPED_TEST(Panels, HoldEveryWeightAndZerosAfterTheLastRow) {
  const Format& format = *find_format(TypeParam::kId);
  const PanelLayout* layout = find_panels(format);
  ASSERT_NE(layout, nullptr);
  for (int64_t k : {1, 2, 7, 32, 64, 96, 160})
    for (int64_t rows : {1, 15, 16}) {
      if (k % format.block) continue;
      SCOPED_TRACE(testing::Message() << rows << " rows of " << k);
      const std::vector<float> x = test::normal(kPanelRows * k, 3);
      std::vector<std::byte> encoded(static_cast<size_t>(format.bytes(kPanelRows * k)));
      format.encode(x.data(), encoded.data(), kPanelRows * k);
      std::vector<float> want(x.size(), 0.0f);
      format.decode(encoded.data(), want.data(), rows * k);
      test::Guarded<std::byte> panel(layout->groups(k) * layout->group_bytes);
      std::memset(panel.data(), 0xff, static_cast<size_t>(layout->groups(k) * layout->group_bytes));
      layout->pack({encoded.data(), format.bytes(k), rows, k}, panel.data());
      EXPECT_TRUE(panel.intact());
      const auto* group = reinterpret_cast<const typename TypeParam::Group*>(panel.data());
      for (int64_t r = 0; r < kPanelRows; ++r)
        for (int64_t c = 0; c < k; ++c)
          ASSERT_EQ(value(group, r, c), want[static_cast<size_t>(r * k + c)]) << r << ", " << c;
    }
}

TEST(PanelLayouts, AreWholeLinesAndHaveNumbersThatNoFormatHas) {
  for (const PanelLayout* p : panel_layouts()) {
    EXPECT_EQ(find_format(p->id), nullptr) << p->name;
    for (int64_t k : {1, 32, 96}) EXPECT_EQ(p->panel_bytes(k) % 64, 0) << p->name;
    EXPECT_EQ(p->bytes(17, 64), 2 * p->panel_bytes(64)) << p->name;
  }
}

TEST(PanelLayouts, OfFormatsWithoutProductsAreNull) { EXPECT_EQ(find_panels(format_i32), nullptr); }

}  // namespace
}  // namespace skald
