// Free text up to marks.
#include "sampling/grammar/free_text.h"

#include <gtest/gtest.h>

namespace skald::free_text_test {
namespace {

TEST(FreeText, HasNoMarkAndEndsWithTheFirstOne) {
  RegexSet regexes;
  const RegexId mark = regexes.literal("<t>");
  FreeText text(regexes, mark);
  EXPECT_TRUE(regexes.matches(text.free(), "free <t text <<"));
  EXPECT_FALSE(regexes.matches(text.free(), "a<<t>"));
  EXPECT_TRUE(regexes.matches(text.up_to(mark), "a<<t>"));
  EXPECT_FALSE(regexes.matches(text.up_to(mark), "a<<t"));
  EXPECT_FALSE(regexes.matches(text.up_to(mark), "<t>a<t>"));
  EXPECT_EQ(text.first_mark("a<t>b"), 4u);
  EXPECT_EQ(text.first_mark("a<t"), 0u);
}

TEST(FreeText, FindsMarksThatControlTokensAreAPartOf) {
  RegexSet regexes;
  FreeText text(regexes, in_any_tokens(regexes, "<call>f"));
  EXPECT_FALSE(regexes.matches(text.free(), "<call>f"));
  EXPECT_FALSE(regexes.matches(text.free(), "a\xff<call>f"));
  EXPECT_TRUE(regexes.matches(text.free(), "a\xff<call>\xff\xff"));
}

TEST(FreeText, WithoutMarksIsAnyText) {
  RegexSet regexes;
  FreeText text(regexes, regexes.nothing());
  EXPECT_EQ(text.free(), regexes.anything());
}

}  // namespace
}  // namespace skald::free_text_test
