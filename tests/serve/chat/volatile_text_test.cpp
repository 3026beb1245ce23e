#include "serve/chat/volatile_text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace skald::serve::volatile_text_test {
namespace {

Json chat(Json system) {
  return Json::array({{{"role", "system"}, {"content", std::move(system)}}, {{"role", "user"}, {"content", "x"}}});
}

TEST(VolatileText, LeavesOutTheFirstLineThatMatchesAsAWhole) {
  const VolatileText text({"x-billing: .*"});
  Json messages = chat("x-billing: 17\nYou help.");
  EXPECT_EQ(text.take_from(messages), 14);
  EXPECT_EQ(messages[0]["content"], "You help.");
  for (const char* kept : {"You help.\nx-billing: 17", "see x-billing: 17\nYou help."}) {
    messages = chat(kept);
    EXPECT_EQ(text.take_from(messages), 0);
    EXPECT_EQ(messages[0]["content"], kept);
  }
}

TEST(VolatileText, LeavesOutWholeBlocks) {
  const VolatileText text({"x-billing: .*"});
  Json messages =
      chat(Json::array({{{"type", "text"}, {"text", "x-billing: 1"}}, {{"type", "text"}, {"text", "You help."}}}));
  EXPECT_EQ(text.take_from(messages), 12);
  ASSERT_EQ(messages[0]["content"].size(), 1u);
  EXPECT_EQ(messages[0]["content"][0]["text"], "You help.");
}

TEST(VolatileText, UsersMayWriteWhatTheyLike) {
  const VolatileText text({"x-billing: .*"});
  Json messages = Json::array({{{"role", "user"}, {"content", "x-billing: 1"}}});
  EXPECT_EQ(text.take_from(messages), 0);
}

TEST(VolatileText, WrongExpressionsAreRefused) { EXPECT_THROW(VolatileText({"("}), Error); }

}  // namespace
}  // namespace skald::serve::volatile_text_test
