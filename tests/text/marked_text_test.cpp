#include "text/marked_text.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

std::string runs_of(const MarkedText& text) {
  std::string out;
  text.for_each_run([&](std::string_view run, bool trusted) { out.append(trusted ? "+" : "-").append(run); });
  return out;
}

TEST(MarkedText, KeepsRunsThroughAppendsAndSlices) {
  MarkedText text;
  text.append("ab", true);
  text.append("", false);
  text.append("cd", true);
  text.append("ef", false);
  text.append("gh", true);
  EXPECT_EQ(runs_of(text), "+abcd-ef+gh");
  EXPECT_EQ(runs_of(text.slice(4, 6)), "-ef");
  EXPECT_EQ(runs_of(text.slice(3, 7)), "+d-ef+g");
  MarkedText twice = text.slice(5, 8);
  twice.append(text);
  EXPECT_EQ(runs_of(twice), "-f+ghabcd-ef+gh");
  EXPECT_EQ(runs_of(text.slice(2, 2)), "");
}

TEST(MarkedText, KnowsWhoWroteARange) {
  MarkedText text("ab", false);
  text.append("cd", true);
  EXPECT_FALSE(text.all_trusted());
  EXPECT_FALSE(text.none_trusted());
  EXPECT_TRUE(text.is_trusted(2, 4));
  EXPECT_FALSE(text.is_trusted(1, 3));
  EXPECT_FALSE(text.is_trusted(0, 1));
  EXPECT_TRUE(text.slice(2, 4).all_trusted());
  EXPECT_TRUE(text.slice(0, 2).none_trusted());
}

}  // namespace
}  // namespace skald
