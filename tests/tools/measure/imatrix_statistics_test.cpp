// Statistics of importance matrices, on numbers that can be done by hand.
#include "tools/measure/imatrix_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace skald {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Imatrix two_layers() {
  Imatrix m;
  m.entries["blk.0.ffn_up.weight"] = {{1, 0, 0, 0}, {1}};
  m.entries["blk.1.ffn_up.weight"] = {{2, 2, 2, 2}, {2}};
  m.entries["output.weight"] = {{4, 0}, {2}};
  return m;
}

TEST(ImatrixStatisticsTest, DescribeTheMeans) {
  const std::vector<ImatrixStatistics> all = statistics_of(two_layers());
  ASSERT_THAT(all, SizeIs(3));
  const ImatrixStatistics &even = all[0], &one = all[1], &output = all[2];
  EXPECT_EQ(even.layer, 1) << "the larger sum first";
  EXPECT_EQ(even.tensor, "ffn_up");
  EXPECT_DOUBLE_EQ(even.sum, 4);
  EXPECT_DOUBLE_EQ(even.entropy, 2) << "four equal columns";
  EXPECT_DOUBLE_EQ(even.active, 1);
  EXPECT_DOUBLE_EQ(even.deviation, 0);
  EXPECT_DOUBLE_EQ(even.similarity, 0.5) << "cosine with layer 0";
  EXPECT_EQ(one.layer, 0);
  EXPECT_DOUBLE_EQ(one.entropy, 0);
  EXPECT_DOUBLE_EQ(one.active, 0.25);
  EXPECT_DOUBLE_EQ(one.deviation, std::sqrt(3) / 4);
  EXPECT_DOUBLE_EQ(one.outliers, 0.25);
  EXPECT_DOUBLE_EQ(one.similarity, 0);
  EXPECT_EQ(output.layer, -1);
  EXPECT_EQ(output.tensor, "output");
}

TEST(ImatrixStatisticsTest, LeaveOutExpertsThatMetNoRow) {
  Imatrix m;
  m.entries["blk.0.ffn_up_exps.weight"] = {{2, 4, 0, 0}, {2, 0}};
  m.entries["blk.0.idle.weight"] = {{0, 0}, {0}};
  const std::vector<ImatrixStatistics> all = statistics_of(m);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].columns, 2);
  EXPECT_DOUBLE_EQ(all[0].least, 1);
}

TEST(ImatrixStatisticsTest, TakeAnyName) {
  Imatrix m;
  for (const char* name : {"blk.", "blk.x.y", "blk.99999999999999999999.w", "blk.-3.w.weight", "blk.7", ".weight", "a\nb"})
    m.entries[name] = {{1}, {1}};
  for (const ImatrixStatistics& s : statistics_of(m)) EXPECT_EQ(s.layer, -1) << s.name;
  EXPECT_THAT(statistics_markdown(statistics_of(m)), HasSubstr(R"(a\nb)"));
}

TEST(ImatrixStatisticsTest, TableHasMeansOfLayersToo) {
  const std::string text = statistics_markdown(statistics_of(two_layers()));
  EXPECT_THAT(text, HasSubstr("ffn_up"));
  EXPECT_THAT(text, HasSubstr("outliers"));
  EXPECT_THAT(statistics_of(Imatrix()), IsEmpty());
}

}  // namespace
}  // namespace skald
