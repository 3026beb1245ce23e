#include "kernels/api/kv_view.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace skald {
namespace {

class KvViewOfTwoPages : public ::testing::Test {
 protected:
  std::array<std::byte, 1000> first_{}, second_{};
  std::array<std::byte*, 2> pages_ = {first_.data(), second_.data()};
  const KvView view_{.pages = pages_.data(),
                     .page_keys = 16,
                     .k_offset = 100,
                     .v_offset = 500,
                     .k_head_stride = 160,
                     .v_head_stride = 80,
                     .k_row_stride = 10,
                     .v_row_stride = 5};
};

TEST_F(KvViewOfTwoPages, FindsRowsByPageHeadAndKey) {
  EXPECT_EQ(view_.k_row(0, 0), first_.data() + 100);
  EXPECT_EQ(view_.k_row(1, 3), first_.data() + 100 + 160 + 30);
  EXPECT_EQ(view_.v_row(1, 15), first_.data() + 500 + 80 + 75);
  EXPECT_EQ(view_.k_row(0, 16), second_.data() + 100);
  EXPECT_EQ(view_.v_row(1, 18), second_.data() + 500 + 80 + 10);
}

TEST_F(KvViewOfTwoPages, RunsEndAtPageBordersAndAtTheEnd) {
  EXPECT_EQ(view_.run(0, 0, 32).n, 16);
  EXPECT_EQ(view_.run(0, 5, 32).n, 11);
  EXPECT_EQ(view_.run(0, 16, 20).n, 4);
  EXPECT_EQ(view_.run(0, 15, 16).n, 1);
  const KvRun run = view_.run(1, 17, 20);
  EXPECT_EQ(run.n, 3);
  EXPECT_EQ(run.k, view_.k_row(1, 17));
  EXPECT_EQ(run.v, view_.v_row(1, 17));
}

TEST(KvBatch, FindsARowsCacheInALayer) {
  const std::vector<KvView> views(6);  // 3 layers of 2 sequences
  const std::vector<int32_t> row_seq = {0, 1, 1};
  const KvBatch batch{views.data(), 2, row_seq.data()};
  EXPECT_EQ(&batch.of_row(0, 0), &views[0]);
  EXPECT_EQ(&batch.of_row(2, 0), &views[4]);
  EXPECT_EQ(&batch.of_row(2, 2), &views[5]);
}

}  // namespace
}  // namespace skald
