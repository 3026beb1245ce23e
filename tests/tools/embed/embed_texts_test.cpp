// Files cut into texts.
#include "tools/embed/embed_texts.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald {
namespace {

using Texts = std::vector<std::string>;

TEST(CutTexts, TakesLinesAndTheLastOneWithOrWithoutItsEnd) {
  EXPECT_EQ(cut_texts("a\nb c\n", "\n"), (Texts{"a", "b c"}));
  EXPECT_EQ(cut_texts("a\nb c", "\n"), (Texts{"a", "b c"}));
  EXPECT_EQ(cut_texts("a", "\n"), (Texts{"a"}));
}

TEST(CutTexts, TakesAnySeparatorAndLeavesTheFilesLastLineFeedOut) {
  EXPECT_EQ(cut_texts("a\nb--c--\n", "--"), (Texts{"a\nb", "c"}));
  EXPECT_EQ(cut_texts("a\n\nb\n\n", "\n\n"), (Texts{"a", "b"}));
  EXPECT_EQ(cut_texts("a\n\nb\n", "\n\n"), (Texts{"a", "b"}));
}

TEST(CutTexts, NamesTheFirstEmptyText) {
  const auto says = [](std::string_view file, std::string_view separator) {
    return std::string(test::error_of([&] { cut_texts(file, separator); }).what());
  };
  EXPECT_EQ(says("a\n\nb\n", "\n"), "text 2 is empty");
  EXPECT_EQ(says("", "\n"), "text 1 is empty");
  EXPECT_EQ(says("a\n\n", "\n"), "text 2 is empty");
  EXPECT_EQ(says("a", ""), "the separator is empty");
}

}  // namespace
}  // namespace skald
