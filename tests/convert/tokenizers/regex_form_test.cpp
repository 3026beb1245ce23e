#include "convert/tokenizers/regex_form.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(RegexForm, IsOneForAllSpellingsOfACharacter) {
  const std::string form = regex_form("[\xE4\xB8\x80-\xE9\xBE\xA5]+");
  EXPECT_EQ(form, R"([\x{4e00}-\x{9fa5}]+)");
  EXPECT_EQ(regex_form(R"([\u4e00-\u9fa5]+)"), form);
  EXPECT_EQ(regex_form(R"([\x{4E00}-\x{9fa5}]+)"), form);
  EXPECT_EQ(regex_form("[\r\n]"), regex_form(R"([\n\x0d])"));
  EXPECT_EQ(regex_form("\\pL\\p{Lu}"), R"(\p{L}\p{Lu})");
}

TEST(RegexForm, DropsEscapesThatMeanNothingAndKeepsThoseThatDo) {
  EXPECT_EQ(regex_form(R"(\'s|\-)"), "'s|-");
  EXPECT_EQ(regex_form(R"([\$\`\-a])"), regex_form(R"([$`a\x2d])"));
  EXPECT_NE(regex_form(R"(\.)"), regex_form("."));
  EXPECT_NE(regex_form(R"([a\-z])"), regex_form("[a-z]"));
  EXPECT_EQ(regex_form(R"(\s+(?!\S)|\p{N}{1,3}\d)"), R"(\s+(?!\S)|\p{N}{1,3}\d)");
}

TEST(RegexForm, PutsTheItemsOfAClassInOrder) {
  EXPECT_EQ(regex_form(R"([^\s\p{L}\p{N}])"), regex_form(R"([^\p{N}\p{L}\s\s])"));
  EXPECT_EQ(regex_form("[]a]"), regex_form(R"([a\]])"));
  EXPECT_EQ(regex_form("[a-]"), regex_form(R"([\-a])"));
  EXPECT_NE(regex_form("[^a]"), regex_form("[a]"));
}

TEST(RegexForm, LeavesClassesInClassesInOrder) {
  EXPECT_EQ(regex_form(R"([\p{L}&&[^\p{Han}]]+x)"), R"([\p{L}&&[^\p{Han}]]+x)");
  EXPECT_EQ(regex_form("[[b]a]"), "[[b]a]");
}

TEST(RegexForm, TakesBrokenPatterns) {
  for (const char* pattern :
       {"[", "[^", "[a-", "\\", "\\x{", "\\x{zz}", "\\u12", "\\p", "\\p{", "[\\", "[[", "[a&&", "\xFF[\xC3"})
    EXPECT_FALSE(regex_form(pattern).empty()) << pattern;
}

TEST(RegexForm, OfATextMatchesTheTextOnly) {
  EXPECT_EQ(regex_form_of_text("a b"), regex_form("a b"));
  EXPECT_EQ(regex_form_of_text("a.b"), regex_form(R"(a\.b)"));
}

}  // namespace
}  // namespace skald
