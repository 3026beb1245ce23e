// Ticks and labels of axes, and the ranges that they span.
#include "tools/report/plot_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::Pointwise;

std::vector<double> ticks(Scale scale, double least, double most) { return axis_range(scale, least, most).ticks; }

MATCHER_P(AreTicks, want, "") { return testing::ExplainMatchResult(Pointwise(DoubleEq(), want), arg, result_listener); }
using List = std::vector<double>;

TEST(AxisRange, OnALinearScaleBeginsAtZeroWithRoundSteps) {
  EXPECT_THAT(ticks(Scale::kLinear, 1, 7.3), AreTicks(List{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_THAT(ticks(Scale::kLinear, 3, 8), AreTicks(List{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_THAT(ticks(Scale::kLinear, 3, 8.1), AreTicks(List{0, 2, 4, 6, 8, 10}));
  EXPECT_THAT(ticks(Scale::kLinear, 0, 16384), AreTicks(List{0, 5000, 10000, 15000, 20000}));
  EXPECT_THAT(ticks(Scale::kLinear, 0, 0), AreTicks(List{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  EXPECT_THAT(ticks(Scale::kLinear, -30, 25), AreTicks(List{-30, -20, -10, 0, 10, 20, 30}));
}

TEST(AxisRange, OfPowersOfTwoEnclosesTheValues) {
  EXPECT_THAT(ticks(Scale::kLog2, 1024, 16384), ElementsAre(1024, 2048, 4096, 8192, 16384));
  EXPECT_THAT(ticks(Scale::kLog2, 1000, 3000), ElementsAre(512, 1024, 2048, 4096));
  EXPECT_THAT(ticks(Scale::kLog2, 4096, 4096), ElementsAre(2048, 4096, 8192)) << "one length lies in the middle";
  EXPECT_THAT(ticks(Scale::kLog2, 0.25, 2), ElementsAre(0.25, 0.5, 1, 2));
}

TEST(AxisRange, OfPowersOfTenHasTicksAtOneTwoAndFive) {
  EXPECT_THAT(ticks(Scale::kLog10, 3, 150), AreTicks(List{2, 5, 10, 20, 50, 100, 200}));
  EXPECT_THAT(ticks(Scale::kLog10, 0.5, 2), AreTicks(List{0.5, 1, 2}));
  EXPECT_THAT(ticks(Scale::kLog10, 10, 10), AreTicks(List{10, 20}));
  EXPECT_THAT(ticks(Scale::kLog10, 2, 3e5), AreTicks(List{1, 10, 100, 1000, 10000, 100000, 1000000}));
}

TEST(AxisRange, HoldsItsValuesWithFewTicksWhateverTheyAre) {
  for (const Scale scale : {Scale::kLinear, Scale::kLog2, Scale::kLog10})
    for (double least = 1e-7; least < 1e9; least *= 3.7)
      for (double most = least; most < 1e12; most *= 1.9) {
        const AxisRange range = axis_range(scale, least, most);
        ASSERT_GE(range.ticks.size(), 2u);
        ASSERT_LE(range.ticks.size(), 11u) << least << " to " << most;
        ASSERT_TRUE(std::ranges::is_sorted(range.ticks));
        ASSERT_GE(range.place(least), -1e-6) << least << " to " << most;
        ASSERT_LE(range.place(most), 1 + 1e-6) << least << " to " << most;
        ASSERT_DOUBLE_EQ(range.place(range.low), 0);
        ASSERT_DOUBLE_EQ(range.place(range.high), 1);
      }
}

TEST(AxisRange, PlacesValuesByTheScale) {
  EXPECT_DOUBLE_EQ(axis_range(Scale::kLinear, 0, 8).place(2), 0.25);
  EXPECT_DOUBLE_EQ(axis_range(Scale::kLog2, 1024, 16384).place(2048), 0.25);
  EXPECT_DOUBLE_EQ(axis_range(Scale::kLog10, 1, 100).place(10), 0.5);
}

TEST(AxisRange, RefusesWhatItCannotShow) {
  EXPECT_EQ(test::error_of([] { axis_range(Scale::kLog2, 0, 8); }).code(), Errc::kBadInput);
  EXPECT_EQ(test::error_of([] { axis_range(Scale::kLog10, -1, 8); }).code(), Errc::kBadInput);
  EXPECT_EQ(test::error_of([] { axis_range(Scale::kLinear, 2, 1); }).code(), Errc::kBadInput);
  for (const double x : {std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_EQ(test::error_of([&] { axis_range(Scale::kLinear, 0, x); }).code(), Errc::kBadInput);
}

TEST(TickLabel, IsShort) {
  EXPECT_EQ(tick_label(Scale::kLog2, 512), "512");
  EXPECT_EQ(tick_label(Scale::kLog2, 4096), "4k");
  EXPECT_EQ(tick_label(Scale::kLog2, 1 << 21), "2M");
  EXPECT_EQ(tick_label(Scale::kLinear, 0), "0");
  EXPECT_EQ(tick_label(Scale::kLinear, 3 * 0.2), "0.6");
  EXPECT_EQ(tick_label(Scale::kLinear, 20000), "20,000");
  EXPECT_EQ(tick_label(Scale::kLinear, -1500), "-1,500");
}

}  // namespace
}  // namespace skald
