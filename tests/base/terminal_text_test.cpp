#include "base/terminal_text.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(TerminalText, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(terminal_text("a\x1b]0;x\x07"
                          "b\x7f"),
            "a\\x1b]0;x\\x07b\\x7f");
  EXPECT_EQ(terminal_text("\xc2\x9b"
                          "1m \xe2\x80\xae"),
            "\\u009b1m \\u202e");
  EXPECT_EQ(terminal_text("caf\xc3"), "caf\\xc3");
}

TEST(TerminalText, LeavesTheRest) {
  EXPECT_EQ(terminal_text("caf\xc3\xa9 \"a\" \\n"), "caf\xc3\xa9 \"a\" \\n");
  EXPECT_EQ(terminal_text(""), "");
}

TEST(TerminalText, HasLinesOnlyWhereAskedFor) {
  EXPECT_EQ(terminal_text("a\nb\r"), "a\\nb\\r");
  EXPECT_EQ(terminal_text("a\nb\r", /*lines=*/true), "a\nb\\r");
}

}  // namespace
}  // namespace skald
