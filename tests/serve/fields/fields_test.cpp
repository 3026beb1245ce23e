#include "serve/fields/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "serve/api_error.h"

namespace skald::serve::fields_test {
namespace {

using ::testing::HasSubstr;

template <class F>
ApiError refused(F&& f) {
  try {
    f();
  } catch (const ApiError& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was refused";
  return ApiError(0, "");
}

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(Fields, NullIsAsIfAbsent) {
  const Json body = Json::parse(R"({"a": null, "b": false})");
  const Fields fields(body);
  EXPECT_FALSE(fields.flag("a").has_value());
  EXPECT_FALSE(fields.integer("c", 0, 5).has_value());
  EXPECT_EQ(fields.flag("b"), false);
}

TEST(Fields, WholeNumbersMayBeWrittenWithAFraction) {
  const Json body = Json::parse(R"({"a": 3.0, "b": 3.5, "c": "3", "d": true, "e": 1e300, "f": 18446744073709551615})");
  const Fields fields(body);
  EXPECT_EQ(fields.integer("a", 0, 5), 3);
  for (const char* key : {"b", "c", "d", "e", "f"}) {
    const ApiError e = refused([&] { fields.integer(key, 0, kMost); });
    EXPECT_EQ(e.status(), 400);
    EXPECT_EQ(e.param(), key);
    EXPECT_THAT(e.message(), HasSubstr(key));
  }
}

TEST(Fields, SeedsHaveAllOfTheirBits) {
  const Json body = Json::parse(R"({"a": 18446744073709551615, "b": -1, "c": -2, "d": 9007199254740993})");
  const Fields fields(body);
  EXPECT_EQ(fields.seed("a"), ~uint64_t{0});
  EXPECT_FALSE(fields.seed("b").has_value());
  EXPECT_EQ(fields.seed("d"), 9007199254740993u);
  EXPECT_EQ(refused([&] { fields.seed("c"); }).param(), "c");
}

TEST(Fields, NumbersOutsideOfTheirRangeAreRefusedAndNeverClamped) {
  const Json body = Json::parse(R"({"zero": 0, "half": 0.5, "two": 2})");
  const Fields fields(body);
  EXPECT_EQ(fields.number("half", {0, 1, true}), 0.5);
  EXPECT_EQ(refused([&] { fields.number("zero", {0, 1, true}); }).param(), "zero");
  EXPECT_EQ(refused([&] { fields.number("two", {0, 1}); }).param(), "two");
}

TEST(Fields, NameFieldsByTheirPaths) {
  const Json body = Json::parse(R"({"stream_options": {"include_usage": "x"}, "list": []})");
  const Fields fields(body);
  EXPECT_EQ(refused([&] { fields.object("stream_options")->flag("include_usage"); }).param(),
            "stream_options.include_usage");
  EXPECT_EQ(refused([&] { fields.object("list"); }).param(), "list");
}

TEST(Fields, TwoSpellingsMayNotDiffer) {
  const Json body = Json::parse(R"({"max_tokens": 4, "n_predict": 4, "num_predict": 5})");
  const Fields fields(body);
  EXPECT_EQ(fields.integer(fields.spelling({"n_predict", "max_tokens"}), 0, 9), 4);
  EXPECT_EQ(refused([&] { fields.spelling({"max_tokens", "num_predict"}); }).status(), 400);
}

TEST(Fields, TellTheUnreadOnes) {
  const Json body = Json::parse(R"({"a": 1, "b": 2, "c": 3})");
  const Fields fields(body);
  fields.integer("a", 0, 5);
  fields.ignore({"c"});
  EXPECT_THAT(fields.unread(), testing::ElementsAre("b"));
}

TEST(Fields, TellWhatWasReadWithoutEffect) {
  const Json body = Json::parse(R"({"a": 1, "b": null})");
  const Fields fields(body);
  for (const char* key : {"a", "b", "absent"}) {
    fields.integer(key, 0, 5);
    fields.not_followed(key);
  }
  EXPECT_THAT(fields.unread(), testing::ElementsAre("a")) << "null is as if absent";
}

TEST(Body, IsAnObjectInUtf8OfSixtyFourLevels) {
  EXPECT_EQ(read_body(R"({"a": 1})")["a"], 1);
  const std::string deep = "{\"a\": " + std::string(63, '[') + std::string(63, ']') + "}";
  EXPECT_NO_THROW(read_body(deep));
  for (const std::string& bad :
       {std::string(""), std::string("{"), std::string("[]"), std::string("5"), std::string("null"),
        std::string(R"({"a": NaN})"), std::string(R"({"a": 1e999})"), std::string("{\"a\": \"\xff\"}"),
        std::string(R"({"a": "\ud800"})"), std::string("{} {}"),
        "{\"a\": " + std::string(64, '[') + std::string(64, ']') + "}", std::string(R"({"a": 100000000000000000000})")})
    EXPECT_EQ(refused([&] { read_body(bad); }).status(), 400) << bad.substr(0, 40);
}

}  // namespace
}  // namespace skald::serve::fields_test
