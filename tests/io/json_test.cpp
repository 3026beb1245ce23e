#include "io/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "tests/support/errors.h"

namespace skald {
namespace {

using ::testing::HasSubstr;

std::string nested(int depth) {
  return std::string(static_cast<size_t>(depth), '[') + std::string(static_cast<size_t>(depth), ']');
}

TEST(Json, ReadsWhatIsValid) { EXPECT_EQ(parse_json(R"({"a": [1, 2.5, null]})")["a"][1], 2.5); }

TEST(Json, SaysWhereItIsWrong) {
  const Error e = test::error_of([] { parse_json("{\"a\": }"); });
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(), HasSubstr("column 7"));
  EXPECT_EQ(test::error_of([] { parse_json("\xff"); }).code(), Errc::kBadFile);
  EXPECT_EQ(test::error_of([] { parse_json(""); }).code(), Errc::kBadFile);
}

TEST(Json, DepthHasALimit) {
  EXPECT_NO_THROW(parse_json(nested(8), {.max_depth = 8}));
  EXPECT_THAT(test::error_of([] { parse_json(nested(9), {.max_depth = 8}); }).what(), HasSubstr("more than 8 levels deep"));
  EXPECT_THAT(test::error_of([] { parse_json(std::string(1000000, '[')); }).what(), HasSubstr("levels deep"));
}

TEST(Json, KeysTwiceAreAnErrorWhereTheyMustBeUnique) {
  EXPECT_EQ(parse_json(R"({"a": 1, "a": 2})")["a"], 2);
  EXPECT_THAT(test::error_of([] { parse_json(R"({"a": 1, "a": 2})", {.unique_keys = true}); }).what(),
              HasSubstr("key \"a\" is there twice"));
  EXPECT_NO_THROW(parse_json(R"({"a": {"a": 1}, "b": {"a": 1}})", {.unique_keys = true}));
}

// A minute, if the time grew with the square of the objects.
TEST(Json, LongArraysOfObjectsTakeLinearTime) {
  std::string text = "[{}";
  for (int i = 0; i < 300'000; ++i) text += ",{}";
  EXPECT_EQ(parse_json(text + "]").size(), 300'001u);
}

}  // namespace
}  // namespace skald
