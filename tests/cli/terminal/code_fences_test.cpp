// The code blocks of a Markdown text, told from its prose as the text comes.
#include "cli/terminal/code_fences.h"

#include <gtest/gtest.h>

namespace skald::code_fences_test {
namespace {

// The text in pieces of this many bytes, code in brackets.
std::string told_apart(std::string_view text, size_t bytes) {
  CodeFences fences;
  std::string out;
  bool was_code = false;
  const auto take = [&](std::string_view piece, bool code) {
    if (code != was_code) out += code ? '[' : ']';
    was_code = code;
    out += piece;
  };
  for (size_t at = 0; at < text.size(); at += bytes) fences.push(text.substr(at, bytes), take);
  fences.finish(take);
  return out;
}

TEST(CodeFences, AreFoundInPiecesOfAnySize) {
  const std::string text = "a\n```cpp\nx `y` ``\n``` z\n\n```\nb\n  ~~~~\n~~~\n~~~~~ \nc";
  const std::string told = "a\n[```cpp\nx `y` ``\n``` z\n\n```\n]b\n[  ~~~~\n~~~\n~~~~~ \n]c";
  for (size_t bytes = 1; bytes <= text.size(); ++bytes) EXPECT_EQ(told_apart(text, bytes), told) << bytes;
}

TEST(CodeFences, AreNotCodeSpans) {
  for (const std::string text : {"```x``` is\na span\n", "``\ntwo\n``\n", "`a`\n", "say ```\nx\n"})
    EXPECT_EQ(told_apart(text, 3), text);
}

TEST(CodeFences, ShowALineOnceItIsNone) {
  CodeFences fences;
  std::string shown;
  const auto take = [&](std::string_view piece, bool) { shown += piece; };
  fences.push("a", take);
  EXPECT_EQ(shown, "a");
  fences.push("\n``", take);
  EXPECT_EQ(shown, "a\n") << "may become a fence";
  fences.push("x", take);
  EXPECT_EQ(shown, "a\n``x");
  shown.clear();
  fences.push("\n```" + std::string(100000, 'x'), take);
  EXPECT_GT(shown.size(), 90000) << "too long for one";
}

}  // namespace
}  // namespace skald::code_fences_test
