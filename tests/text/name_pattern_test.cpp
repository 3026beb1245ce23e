// Expressions from flags, in names.
#include "text/name_pattern.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald {
namespace {

TEST(NamePattern, IsFoundAnywhereInANameAndInAnyCase) {
  const NamePattern pattern("blk\\.(0|1)\\.FFN_(up|down)");
  EXPECT_TRUE(pattern.found_in("blk.1.ffn_up.weight"));
  EXPECT_FALSE(pattern.found_in("blk.10.ffn_up.weight"));
  EXPECT_FALSE(pattern.found_in(""));
  EXPECT_TRUE(NamePattern("attn").found_in("blk.0.attn_q.weight"));
}

TEST(NamePattern, SaysWhereAnExpressionIsWrong) {
  const Error e = test::error_of([] { NamePattern("ffn_(up"); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), testing::AllOf(testing::HasSubstr("'ffn_(up'"), testing::HasSubstr("character 7")));
}

TEST(NamePattern, GivesUpOnExpressionsThatTakeForever) {
  const NamePattern pattern("(a|aa)+$");
  const std::string text = fmt::format("{:a<200}b", "");
  const Error e = test::error_of([&] { pattern.found_in(text); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald
