// What texts of each scope came to.
#include "engine/drafts/past_texts.h"

#include <gtest/gtest.h>

namespace skald::past_texts_test {
namespace {

using Tokens = std::vector<TokenId>;

TEST(PastTexts, AreFoundInTheirScopeAlone) {
  PastTexts past;
  past.add("a", Tokens{1, 2, 3, 4});
  EXPECT_EQ(past.find("a", Tokens{1, 2}).match.length, 2);
  EXPECT_EQ(past.find("b", Tokens{1, 2}).match.length, 0);
  EXPECT_EQ(past.find("", Tokens{1, 2}).match.length, 0);
}

TEST(PastTexts, GiveTheLongestMatchOfAllOfThem) {
  PastTexts past;
  past.add("", Tokens{9, 1, 2, 3});
  past.add("", Tokens{1, 2, 4});
  const PastTexts::Found found = past.find("", Tokens{9, 1, 2});
  ASSERT_TRUE(found.in);
  EXPECT_EQ(found.in->tokens()[static_cast<size_t>(found.match.at)], 3);
}

TEST(PastTexts, ForgetTheOldestTokens) {
  PastTexts past;
  past.add("", Tokens{1, 2, 3});
  const Tokens many(static_cast<size_t>(PastTexts::kTokens), 7);
  past.add("", many);
  EXPECT_EQ(past.find("", Tokens{1, 2}).match.length, 2) << "as many again are kept";
  past.add("", Tokens{4, 5, 6});
  EXPECT_EQ(past.find("", Tokens{1, 2}).match.length, 0);
  EXPECT_EQ(past.find("", Tokens{4, 5}).match.length, 2);
  EXPECT_EQ(past.find("", Tokens{7, 7}).match.length, 2);
}

TEST(PastTexts, ForgetTheScopesThatWereInUseLongAgo) {
  PastTexts past;
  past.add("first", Tokens{1, 2, 3});
  past.add("second", Tokens{1, 2, 3});
  for (int i = 0; i + 2 < PastTexts::kScopes; ++i) past.add(std::to_string(i), Tokens{1, 2, 3});
  EXPECT_EQ(past.find("first", Tokens{1, 2}).match.length, 2);
  past.add("another", Tokens{1, 2, 3});
  EXPECT_EQ(past.find("first", Tokens{1, 2}).match.length, 2);
  EXPECT_EQ(past.find("second", Tokens{1, 2}).match.length, 0);
}

TEST(PastTexts, KeepTheEndOfATextThatIsTooLong) {
  PastTexts past;
  Tokens text(static_cast<size_t>(PastTexts::kTokens) + 10, 7);
  text[0] = 1, text[1] = 2;
  text[text.size() - 3] = 4, text[text.size() - 2] = 5;
  past.add("", text);
  EXPECT_EQ(past.find("", Tokens{1, 2}).match.length, 0);
  EXPECT_EQ(past.find("", Tokens{4, 5}).match.length, 2);
}

}  // namespace
}  // namespace skald::past_texts_test
