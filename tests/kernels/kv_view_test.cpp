#include "kernels/api/kv_view.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace skald {
namespace {

class KvViewOfTwoPages : public ::testing::Test {
 protected:
  std::array<std::byte, 4000> first_{}, second_{};
  std::array<std::byte*, 2> pages_ = {first_.data(), second_.data()};
  const KvView view_{.pages = pages_.data(),
                     .v_pages = pages_.data(),
                     .k_offset = 100,
                     .v_offset = 2000,
                     .k_head_stride = 640,
                     .v_head_stride = 320,
                     .k_stride = 10,
                     .v_stride = 5};
};

TEST_F(KvViewOfTwoPages, FindsRowsByPageHeadAndSlot) {
  EXPECT_EQ(view_.k_row(0, 0), first_.data() + 100);
  EXPECT_EQ(view_.k_row(1, 3), first_.data() + 100 + 640 + 30);
  EXPECT_EQ(view_.k_row(2, 63), first_.data() + 100 + 2 * 640 + 630);
  EXPECT_EQ(view_.k_row(0, 64), second_.data() + 100);
  EXPECT_EQ(view_.v_row(0, 0), first_.data() + 2000);
  EXPECT_EQ(view_.v_row(1, 63), first_.data() + 2000 + 320 + 315);
  EXPECT_EQ(view_.v_row(1, 66), second_.data() + 2000 + 320 + 10);
}

TEST_F(KvViewOfTwoPages, FindsValuesInPagesOfTheirOwn) {
  std::array<std::byte, 4000> values{};
  std::byte* const page = values.data();
  KvView view = view_;
  view.v_pages = &page;
  EXPECT_EQ(view.v_row(1, 2), values.data() + 2000 + 320 + 10);
  EXPECT_EQ(view.k_row(1, 2), view_.k_row(1, 2));
}

TEST_F(KvViewOfTwoPages, FindsAHeadsKeysOfAPage) {
  for (int64_t slot : {0, 1, 63}) EXPECT_EQ(view_.k_page(1, slot), first_.data() + 100 + 640) << slot;
  for (int64_t slot : {64, 127}) EXPECT_EQ(view_.k_page(2, slot), second_.data() + 100 + 2 * 640) << slot;
}

TEST(KvBatch, FindsARowsCacheInALayer) {
  const std::vector<KvView> views(6);  // 3 layers of 2 sequences
  const std::vector<int32_t> row_seq = {0, 1, 1};
  const KvBatch batch{views.data(), nullptr, 2, row_seq.data()};
  EXPECT_EQ(&batch.of_row(0, 0), &views[0]);
  EXPECT_EQ(&batch.of_row(2, 0), &views[4]);
  EXPECT_EQ(&batch.of_row(2, 2), &views[5]);
}

TEST(HadamardBlock, IsTheLargestPowerOfTwoThatDivides) {
  for (int64_t n : {1, 2, 64, 128, 256}) EXPECT_EQ(hadamard_block(n), n);
  EXPECT_EQ(hadamard_block(96), 32);
  EXPECT_EQ(hadamard_block(192), 64);
  EXPECT_EQ(hadamard_block(80), 16);
  EXPECT_EQ(hadamard_block(33), 1);
}

}  // namespace
}  // namespace skald
