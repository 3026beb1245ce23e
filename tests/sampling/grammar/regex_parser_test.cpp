// Regular expressions: the texts that they take, and those rejected by name.
#include "sampling/grammar/regex_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/errors.h"

namespace skald::regex_parser_test {
namespace {

using testing::HasSubstr;

bool takes(const std::string& expression, const std::string& text, const RegexOptions& options = {}) {
  RegexSet regexes;
  return regexes.matches(parse_regex(regexes, expression, options), text);
}

std::string error_of(const std::string& expression, const RegexOptions& options = {}) {
  RegexSet regexes;
  return test::error_of([&] { parse_regex(regexes, expression, options); }).what();
}

const RegexOptions kSearch{.dialect = RegexDialect::kEcma, .search = true};

TEST(Regex, TakesWholeTexts) {
  for (const auto& [expression, good, bad] : std::vector<std::array<std::string, 3>>{
           {"a|bc", "bc", "abc"},
           {"(ab|ac)d?", "acd", "abdd"},
           {"x{2,3}", "xxx", "x"},
           {"x{2,}?", "xxxxx", "x"},
           {"x{,2}y", "xxy", "xxxy"},
           {"a{x}", "a{x}", "a"},
           {"[a-c-]+", "a-c", "d"},
           {"[]a]", "]", ""},
           {"[^a-z\\d]", "É", "7"},
           {"\\d\\w\\s", "7_\t", "٣_ "},
           {"\\x41\\u00e9\\U0001F642", "Aé🙂", "Ae"},
           {"(?P<name>a)(?:b)(?<n2>c)", "abc", "ab"},
           {".", "é", "\n"},
           {"^a$", "a", "ab"},
           {"(^|x)a", "a", "ya"},
           {"x(^|y)a", "xya", "xa"},
           {"(a$|ab)", "ab", "b"},
           {"\\A\\.\\Z", ".", "x"},
           {"\\p{Lu}\\P{Lu}", "Éé", "éé"},
           {"[\\p{Nd}]+", "٣7", "x"},
           {"(a*)*b", "aab", "aa"},
       }) {
    EXPECT_TRUE(takes(expression, good)) << expression << " on " << good;
    EXPECT_FALSE(takes(expression, bad)) << expression << " on " << bad;
  }
}

TEST(Regex, SearchesAnywhere) {
  EXPECT_TRUE(takes("b", "abc", kSearch));
  EXPECT_FALSE(takes("^b", "abc", kSearch));
  EXPECT_TRUE(takes("^a|b$", "axx", kSearch));
  EXPECT_TRUE(takes("^a|b$", "xxb", kSearch));
  EXPECT_FALSE(takes("^a|b$", "xbx", kSearch));
  EXPECT_TRUE(takes("^$", "", kSearch));
  EXPECT_FALSE(takes("^$", "x", kSearch));
  EXPECT_TRUE(takes("(^a)*b", "xxb", kSearch));
  EXPECT_FALSE(takes("(^a)+b", "xab", kSearch));
  EXPECT_TRUE(takes("", "anything", kSearch));
}

TEST(Regex, HasTwoDialects) {
  EXPECT_FALSE(takes(".", "\u2028", {.dialect = RegexDialect::kEcma}));
  EXPECT_TRUE(takes(".", "\u2028"));
  EXPECT_TRUE(takes("\\s", "\u00a0", {.dialect = RegexDialect::kEcma}));
  EXPECT_FALSE(takes("\\s", "\u00a0"));
  EXPECT_TRUE(takes("[^]", "\n", {.dialect = RegexDialect::kEcma}));
  EXPECT_TRUE(takes("\\u{1F642}\\ud83d\\ude42\\cJ", "🙂🙂\n", {.dialect = RegexDialect::kEcma}));
}

TEST(Regex, SpellsCharactersAsItIsTold) {
  const SpellCharacter doubled = [](RegexSet& regexes, std::span<const CodePointRange> ranges) {
    return regexes.repeat(regexes.code_points(ranges), 2, 2);
  };
  EXPECT_TRUE(takes("a[bc]", "aabc", {.spell = doubled}));
  EXPECT_FALSE(takes("a[bc]", "ab", {.spell = doubled}));
}

TEST(Regex, RefusesByNameWhatItDoesNotRead) {
  for (const auto& [expression, says] : std::vector<std::pair<std::string, std::string>>{
           {"(?=a)b", "look-ahead"},
           {"(?!a)b", "look-ahead"},
           {"(?<=a)b", "look-behind"},
           {"(?<!a)b", "look-behind"},
           {"(a)\\1", "back-reference"},
           {"(?P<n>a)(?P=n)", "back-reference"},
           {"\\bword", "word boundary"},
           {"(?i)a", "flags"},
           {"a++", "possessive"},
           {"(?>a)", "atomic"},
           {"[[:alpha:]]", "POSIX"},
           {"\\p{Nosuch}", "Nosuch"},
       }) {
    EXPECT_THAT(error_of(expression), HasSubstr(says)) << expression;
  }
}

TEST(Regex, SaysWhereTheSyntaxIsWrong) {
  for (const auto& [expression, says] : std::vector<std::pair<std::string, std::string>>{
           {"(", "byte 0"},
           {"a)", "byte 1"},
           {"[a", "not closed"},
           {"*a", "nothing to repeat"},
           {"[z-a]", "ends before"},
           {"a{3,1}", "repeats"},
           {"a**", "repetition"},
           {"\\", "too early"},
           {"\\x4", "hexadecimal"},
           {"\\y", "unknown"},
           {"a\xff", "UTF-8"},
           {"(?P<>a)", "name"},
           {"\\ud800", "U+D800"},
           {std::string(3000, '('), "deeper"},
       }) {
    EXPECT_THAT(error_of(expression), HasSubstr(says)) << expression.substr(0, 20);
  }
}

}  // namespace
}  // namespace skald::regex_parser_test
