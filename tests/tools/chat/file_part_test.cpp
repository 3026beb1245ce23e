// Files as parts of a chat's messages.
#include "tools/chat/file_part.h"

#include <gtest/gtest.h>

namespace skald::file_part_test {
namespace {

TEST(PartOfMessage, FencesTheTextLongerThanAnyFenceInIt) {
  EXPECT_EQ(as_part_of_message("a.txt", "x"), "a.txt:\n```\nx\n```\n\n");
  EXPECT_EQ(as_part_of_message("a.md", "```\nx\n```\n"), "a.md:\n````\n```\nx\n```\n````\n\n");
  EXPECT_EQ(as_part_of_message("e", ""), "e:\n```\n```\n\n");
}

}  // namespace
}  // namespace skald::file_part_test
