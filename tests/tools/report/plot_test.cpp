// Plots as SVG: the shapes and their places, and that no text breaks the file.
#include "tools/report/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Plot small_plot() {
  return {.title = "A < B & C",
          .notes = {"a note"},
          .x = {"keys", Scale::kLog2},
          .y = {"speed-up"},
          .series = {{"measured", {{1024, 2}, {4096, 4}}}, {"in theory", {{1024, 3}, {4096, 8}}, true}}};
}

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Plot, HasTitleAxesLegendAndCurves) {
  const std::string svg = small_plot().svg();
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_THAT(svg, AllOf(HasSubstr(">A &lt; B &amp; C</text>"), HasSubstr(">a note</text>"), HasSubstr(">keys</text>"),
                         HasSubstr(">speed-up</text>"), HasSubstr(">measured</text>"), HasSubstr(">in theory</text>")));
  for (const char* tick : {">1k<", ">2k<", ">4k<", ">0<", ">8<"}) EXPECT_THAT(svg, HasSubstr(tick));
  EXPECT_EQ(count(svg, "<polyline"), 2);
  EXPECT_EQ(count(svg, "<circle"), 4 + 2) << "points and the legend's samples";
  EXPECT_EQ(count(svg, "stroke-dasharray"), 2) << "one curve and its sample";
}

TEST(Plot, NeedsNothingFromOutside) {
  const std::string svg = small_plot().svg();
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("href")), Not(HasSubstr("url("))));
  EXPECT_EQ(count(svg, "http"), 1) << "the namespace";
}

TEST(Plot, JoinsPointsFromEdgeToEdge) {
  Plot plot = small_plot();
  plot.series.resize(1);
  plot.series[0].points = {{1024, 0}, {2048, 4}, {4096, 8}};
  const std::string svg = plot.svg();
  const size_t at = svg.find("points=\"") + 8;
  double x[3], y[3];
  ASSERT_EQ(std::sscanf(svg.c_str() + at, "%lf,%lf %lf,%lf %lf,%lf", x, y, x + 1, y + 1, x + 2, y + 2), 6);
  EXPECT_NEAR(x[1], (x[0] + x[2]) / 2, 0.11);
  EXPECT_NEAR(y[1], (y[0] + y[2]) / 2, 0.11);
  EXPECT_LT(x[0], x[2]);
  EXPECT_GT(y[0], y[2]) << "down is up";
}

TEST(Plot, WrapsLongNotes) {
  Plot plot = small_plot();
  plot.notes = {"", std::string(40, 'w') + " " + std::string(300, 'x') + " " + std::string(50, 'y') + " end"};
  const std::string svg = plot.svg();
  EXPECT_THAT(svg,
              AllOf(HasSubstr(">" + std::string(40, 'w') + "</text>"), HasSubstr(">" + std::string(300, 'x') + "</text>"),
                    HasSubstr(">" + std::string(50, 'y') + " end</text>")));
}

TEST(Plot, DrawsASinglePoint) {
  Plot plot = small_plot();
  plot.series = {{"one", {{4096, 2}}}};
  EXPECT_THAT(plot.svg(), AllOf(HasSubstr(">4k<"), Not(HasSubstr("nan"))));
}

TEST(Plot, RefusesWhatCannotBeDrawn) {
  Plot plot = small_plot();
  plot.series[0].points[0].x = 0;
  EXPECT_THAT(test::error_of([&] { plot.svg(); }).what(), HasSubstr("logarithmic"));
  plot.series[0].points[0] = {1024, std::nan("")};
  EXPECT_EQ(test::error_of([&] { plot.svg(); }).code(), Errc::kBadInput);
  plot.series.clear();
  EXPECT_THAT(test::error_of([&] { plot.svg(); }).what(), HasSubstr("nothing to plot"));
}

}  // namespace
}  // namespace skald
