// Markdown with the attributes of a terminal.
#include "cli/terminal/markdown.h"

#include <gtest/gtest.h>

namespace skald::markdown_test {
namespace {

// Attributes as <b>, <i>, <c> and </>.
std::string tagged(std::string text) {
  const std::pair<std::string, std::string> tags[] = {
      {"\x1b[0m", "</>"}, {"\x1b[1m", "<b>"}, {"\x1b[3m", "<i>"}, {"\x1b[36m", "<c>"}};
  for (const auto& [code, tag] : tags)
    for (size_t at = text.find(code); at != std::string::npos; at = text.find(code)) text.replace(at, code.size(), tag);
  return text;
}

std::string rendered(std::string_view text, size_t bytes = 1000) {
  Markdown markdown;
  std::string out;
  for (size_t at = 0; at < text.size(); at += bytes) out += markdown.push(text.substr(at, bytes));
  return tagged(out + markdown.finish());
}

TEST(Markdown, RendersSpans) {
  EXPECT_EQ(rendered("a **b c** d"), "a <b>b c</> d");
  EXPECT_EQ(rendered("__b__ _i_ *i* ***x***"), "<b>b</> <i>i</> <i>i</> <b><i>x</>");
  EXPECT_EQ(rendered("`a*b*` ``c`d``"), "<c>a*b*</> <c>c`d</>");
  EXPECT_EQ(rendered("**b `c` b**"), "<b>b <b><c>c</><b> b</>");
  EXPECT_EQ(rendered("\\*a\\* \\n"), "*a* \\n");
}

TEST(Markdown, RendersHeadingsAndLists) {
  EXPECT_EQ(rendered("## A *b*\nc"), "<b>A <b><i>b</><b></>\nc");
  EXPECT_EQ(rendered("- a\n  * *b*\n1. c\n-d\n#e\n---\n**f**"), "• a\n  • <i>b</>\n1. c\n-d\n#e\n---\n<b>f</>");
}

TEST(Markdown, LeavesMarksWithoutAPartner) {
  for (const std::string text :
       {"2 * 3 * 4", "a *b", "snake_case_name", "**a\nb**", "`a", "f(*args, **kwargs)", "a**", "\\", "*", "****"})
    EXPECT_EQ(rendered(text), text);
}

TEST(Markdown, DoesNotDependOnThePieces) {
  const std::string text = "# A `b`\n- **c** *d* \\* e_f_g __h__ ***i*** ``j`k``\n  * l ** m\n**n";
  for (size_t bytes = 1; bytes < text.size(); ++bytes) EXPECT_EQ(rendered(text, bytes), rendered(text)) << bytes;
}

TEST(Markdown, ShowsTextAsItComes) {
  Markdown markdown;
  EXPECT_EQ(markdown.push("so "), "so ");
  EXPECT_EQ(markdown.push("**b"), "");
  EXPECT_EQ(tagged(markdown.push("** c")), "<b>b</> c");
  EXPECT_EQ(markdown.push(" *" + std::string(600, 'x')).size(), 602u) << "no partner is that far away";
  const std::string many(100000, '*');
  EXPECT_EQ(rendered(many, 7), many);
}

TEST(Markdown, PaintsCodeLineByLine) { EXPECT_EQ(tagged(rendered_code("a\n\n b\n")), "<c>a</>\n\n<c> b</>\n"); }

}  // namespace
}  // namespace skald::markdown_test
