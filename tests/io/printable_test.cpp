// Escaping text of files for terminals and JSON.
#include "io/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace skald {
namespace {

TEST(Printable, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(printable("blk.0 Gr\u00f6\u00dfe \u4e2d \U0001f600"), "blk.0 Gr\u00f6\u00dfe \u4e2d \U0001f600");
}

TEST(Printable, EscapesControlCharactersQuotesAndBackslashes) {
  EXPECT_EQ(printable("a\n\r\t\x1b[2J\x7f"), R"(a\n\r\t\x1b[2J\x7f)");
  EXPECT_EQ(printable(R"(say "\")"), R"(say \"\\\")");
  EXPECT_EQ(printable(std::string_view("\0", 1)), R"(\x00)");
  EXPECT_EQ(printable("\xc2\x9b"), R"(\u009b)") << "the one-character form of ESC [";
  EXPECT_EQ(printable("\u202e"), R"(\u202e)") << "right-to-left override";
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff"), R"(\xff)");
  EXPECT_EQ(printable("\xc3"), R"(\xc3)") << "cut short";
  EXPECT_EQ(printable("\xc0\xaf"), R"(\xc0\xaf)") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), R"(\xed\xa0\x80)") << "surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), R"(\xf4\x90\x80\x80)") << "above U+10FFFF";
}

TEST(Printable, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(printable("a\u00e9", 2), "a...");
}

TEST(Quoted, AddsQuotes) { EXPECT_EQ(quoted("a\"b"), R"("a\"b")"); }

TEST(ValidUtf8, ReplacesEachBadByte) {
  EXPECT_EQ(valid_utf8("a\xff\xc3z\u00e9"), "a\ufffd\ufffdz\u00e9");
  EXPECT_EQ(valid_utf8(""), "");
}

}  // namespace
}  // namespace skald
