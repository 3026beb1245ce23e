#include "text/special_matcher.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace skald {
namespace {

TEST(SpecialMatcher, LeftmostThenLongest) {
  SpecialMatcher m;
  m.add("<s>", 1);
  m.add("<s>>", 2);
  m.add("s>>>", 3);
  m.build();
  const auto match = m.find("ab<s>>>", 0);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->begin, 2u);
  EXPECT_EQ(match->end, 6u);
  EXPECT_EQ(match->id, 2);
  EXPECT_FALSE(m.find("ab<s>>>", 4));
  EXPECT_FALSE(m.find("", 0));
  EXPECT_FALSE(m.find("<s", 0));
}

TEST(SpecialMatcher, OddPieces) {
  SpecialMatcher m;
  m.add("", 1);  // never found
  m.add(std::string_view("\0", 1), 2);
  m.add("\xFF", 3);
  m.add("\xFF", 4);  // the last counts
  const std::string endless(300, 'x');
  m.add(endless, 5);  // too long
  m.build();
  EXPECT_EQ(m.find(std::string_view("a\0", 2), 0)->id, 2);
  EXPECT_EQ(m.find("a\xFF", 0)->id, 4);
  EXPECT_FALSE(m.find(endless, 0));
  SpecialMatcher none;
  none.build();
  EXPECT_FALSE(none.find("abc", 0));
}

TEST(SpecialMatcher, AgreesWithTryingEverything) {
  std::mt19937 random(3);
  const auto word = [&](size_t longest) {
    std::string out(1 + random() % longest, 'a');
    for (char& c : out) c = static_cast<char>("ab\xFE"[random() % 3]);
    return out;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> pieces(1 + random() % 12);
    for (std::string& p : pieces) p = word(5);
    SpecialMatcher m;
    for (size_t i = 0; i < pieces.size(); ++i) m.add(pieces[i], static_cast<TokenId>(i));
    m.build();
    const std::string text = word(40);
    for (size_t from = 0; from <= text.size(); ++from) {
      size_t begin = text.size(), length = 0;
      for (size_t at = from; at < text.size() && length == 0; ++at) {
        for (const std::string& p : pieces) {
          if (p.size() > length && text.compare(at, p.size(), p) == 0) begin = at, length = p.size();
        }
      }
      const auto match = m.find(text, from);
      ASSERT_EQ(match.has_value(), length > 0);
      if (!match) continue;
      ASSERT_EQ(match->begin, begin);
      ASSERT_EQ(match->end - match->begin, length);
      ASSERT_EQ(text.substr(begin, length), pieces[static_cast<size_t>(match->id)]);
    }
  }
}

}  // namespace
}  // namespace skald
