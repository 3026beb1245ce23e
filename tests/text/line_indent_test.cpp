// Lines with too few blanks end a text, wherever its pieces begin and end.
#include "text/line_indent.h"

#include <gtest/gtest.h>

#include <string>

namespace skald::line_indent_test {
namespace {

struct Case {
  int64_t least;
  std::string text, kept;
  bool ends;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.least << " blanks, " << ::testing::PrintToString(c.text); }
class Indents : public ::testing::TestWithParam<Case> {};

TEST_P(Indents, AreCountedInPiecesOfAnySize) {
  const Case& c = GetParam();
  for (size_t size = 1; size <= c.text.size(); ++size) {
    LineIndent indent(c.least);
    std::string kept;
    for (size_t at = 0; at < c.text.size(); at += size) kept += indent.push(std::string_view(c.text).substr(at, size));
    EXPECT_EQ(kept, c.kept) << size;
    EXPECT_EQ(indent.ended(), c.ends) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Texts, Indents,
                         ::testing::Values(Case{0, "a\nb\n\nc", "a\nb\n\nc", false},
                                           Case{2, "a\n  b\n   c\n\t\td", "a\n  b\n   c\n\t\td", false},
                                           Case{2, "a\n  b\n c\n  d", "a\n  b\n ", true}, Case{1, "a\nb", "a\n", true},
                                           Case{1, "a\n\n b", "a\n", true},  // a line without a letter has no blanks
                                           Case{4, "a = b\n", "a = b\n", false}, Case{4, "a\n  ", "a\n  ", false},
                                           Case{1, "", "", false}));

}  // namespace
}  // namespace skald::line_indent_test
