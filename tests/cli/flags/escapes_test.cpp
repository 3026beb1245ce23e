#include "cli/flags/escapes.h"

#include <gtest/gtest.h>

#include <string>

namespace skald {
namespace {

TEST(Escapes, AreWhatTheyStandFor) {
  EXPECT_EQ(unescaped(R"(a\nb\r\t\'\"\\n)"), "a\nb\r\t'\"\\n");
  EXPECT_EQ(unescaped(R"(\x41\xc3\xA9)"), "A\xc3\xa9");
  EXPECT_EQ(unescaped(R"(\x00b)"), std::string("\0b", 2));
}

TEST(Escapes, LeaveOtherBackslashes) {
  for (const char* text : {"", "a", "\\", "a\\", "\\q", "\\x", "\\x4", "\\xg1", "\\x+1", "C:\\dir"})
    EXPECT_EQ(unescaped(text), text);
}

}  // namespace
}  // namespace skald
