// Lines that break between words at a terminal's width.
#include "cli/terminal/word_wrap.h"

#include <gtest/gtest.h>

#include "cli/terminal/cells.h"

namespace skald::word_wrap_test {
namespace {

class Wrapped : public testing::Test {
 protected:
  Wrapped() { use_utf8(); }

  // In pieces of this many bytes, as whole characters.
  static std::string in_pieces(std::string_view text, size_t bytes, int columns) {
    WordWrap wrap;
    std::string out;
    while (!text.empty()) {
      size_t n = std::min(bytes, text.size());
      while (n < text.size() && (static_cast<unsigned char>(text[n]) & 0xc0) == 0x80) ++n;
      out += wrap.push(text.substr(0, n), columns);
      text.remove_prefix(n);
    }
    return out + wrap.finish();
  }
};

TEST_F(Wrapped, BreaksBetweenWordsAndNeverInsideOneThatFits) {
  EXPECT_EQ(wrapped("the quick brown fox", 10), "the quick\nbrown fox");
  EXPECT_EQ(wrapped("the quick brown fox", 9), "the quick\nbrown fox") << "a line may be full";
  EXPECT_EQ(wrapped("the quick brown fox", 8), "the\nquick\nbrown\nfox");
  EXPECT_EQ(wrapped("ends here.\n\nNext", 10), "ends here.\n\nNext");
  EXPECT_EQ(wrapped("a  b   c", 5), "a  b\nc") << "blanks stay within a line and go at a break";
  EXPECT_EQ(wrapped("  - a list of it", 10), "  - a list\nof it");
}

TEST_F(Wrapped, DoesNotDependOnThePieces) {
  const std::string text =
      "Ein Wörtchen, \x1b[1mzwei\x1b[0m: 你好世界。 und e\u0301 einlangeswortdasnichtpasst da\n  \tEnde";
  for (size_t bytes = 1; bytes < 12; ++bytes)
    for (int columns = 1; columns < 40; columns += 3)
      EXPECT_EQ(in_pieces(text, bytes, columns), wrapped(text, columns)) << bytes << " " << columns;
}

TEST_F(Wrapped, CountsTheCellsOfCharacters) {
  EXPECT_EQ(wrapped("e\u0301e\u0301e\u0301 e\u0301e\u0301", 6), "e\u0301e\u0301e\u0301 e\u0301e\u0301") << "marks take none";
  EXPECT_EQ(wrapped("\x1b[1mab\x1b[0m \x1b[2mcd\x1b[0m", 5), "\x1b[1mab\x1b[0m \x1b[2mcd\x1b[0m") << "nor do attributes";
  EXPECT_EQ(wrapped("\x1b[1mab\x1b[0m cd", 4), "\x1b[1mab\x1b[0m\ncd");
  EXPECT_EQ(wrapped("你好世界", 5), "你好\n世界") << "wide ones take two, and need no blanks";
  EXPECT_EQ(wrapped("你好。世界", 4), "你\n好。\n世界") << "a full stop begins no line";
  EXPECT_EQ(wrapped("「好」", 2), "「好」") << "no place for a break";
  EXPECT_EQ(wrapped("안녕하세요 세계", 12), "안녕하세요\n세계") << "Korean breaks at blanks";
  EXPECT_EQ(wrapped("a\tbc", 9), "a\nbc") << "a tab leads to the next eighth cell";
  EXPECT_EQ(wrapped("a\tb", 9), "a\tb");
}

TEST_F(Wrapped, LeavesAWordThatFitsNoLineToTheTerminal) {
  EXPECT_EQ(wrapped("see https://example.org/a/b now it", 10), "see\nhttps://example.org/a/b now it");
  EXPECT_EQ(wrapped("ab cd", 1), "ab\ncd");
  EXPECT_EQ(wrapped("ab", 0), "ab") << "a window without cells";
}

TEST_F(Wrapped, FollowsTheWidthFromPieceToPiece) {
  WordWrap wrap;
  std::string out = wrap.push("one two three ", 9);
  out += wrap.push("four five six ", 20);
  EXPECT_EQ(out + wrap.finish(), "one two\nthree four five six");
}

TEST_F(Wrapped, LeavesCodeBlocksAsTheyAre) {
  const std::string code = "```sh\nfor i in a b c d e;  do echo; done  \n```\n";
  EXPECT_EQ(wrapped("so it is:\n" + code + "and so on", 6), "so it\nis:\n" + code + "and so\non");
  const std::string open = "~~~\nand a block that never ends";
  EXPECT_EQ(wrapped(open, 6), open);
}

TEST_F(Wrapped, HangsLinesThatABreakBegins) {
  EXPECT_EQ(wrapped("/x  does this and that\n/y  does it", 12, 4), "/x  does\n    this and\n    that\n/y  does it");
  EXPECT_EQ(wrapped("/x  do x it", 5, 4), "/x\ndo x\nit") << "in a narrow window they do not";
}

}  // namespace
}  // namespace skald::word_wrap_test
