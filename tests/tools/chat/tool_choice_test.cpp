// Requests' fields about tools and the form of the answer.
#include "tools/chat/tool_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"

namespace skald::tool_choice_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using ToolChoice = ReplyParams::ToolChoice;

ChatOptions with_tools() {
  ChatOptions out;
  out.tools = Json::parse(R"([{"type": "function", "function": {"name": "f"}}, {"name": "g"}])");
  return out;
}

TEST(ToolChoice, IsAWordOrATool) {
  ChatOptions o = with_tools();
  set_tool_choice(o, std::string("none"));
  EXPECT_EQ(o.tool_choice, ToolChoice::kNone);
  set_tool_choice(o, std::string("g"));
  EXPECT_EQ(o.tool_choice, ToolChoice::kRequired);
  EXPECT_EQ(o.tool, "g");
  set_tool_choice(o, Json("auto"));
  EXPECT_EQ(o.tool_choice, ToolChoice::kAuto);
  EXPECT_EQ(o.tool, "");
  set_tool_choice(o, Json::parse(R"({"type": "function", "function": {"name": "f"}})"));
  EXPECT_EQ(o.tool, "f");
}

TEST(ToolChoice, MayAllowSomeTools) {
  ChatOptions o = with_tools();
  set_tool_choice(o, Json::parse(R"({"type": "allowed_tools", "allowed_tools": {"mode": "auto",
      "tools": [{"type": "function", "function": {"name": "g"}}]}})"));
  EXPECT_EQ(o.tool_choice, ToolChoice::kAuto);
  EXPECT_EQ(callable_tools(o), Json::parse(R"([{"name": "g"}])"));
  set_tool_choice(
      o, Json::parse(R"({"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "f"}]})"));
  EXPECT_EQ(o.tool_choice, ToolChoice::kRequired);
  EXPECT_EQ(callable_tools(o).size(), 1u);
  set_tool_choice(o, Json("auto"));
  EXPECT_EQ(callable_tools(o), o.tools);
  for (const char* wrong :
       {R"({"type": "allowed_tools"})", R"({"type": "allowed_tools", "mode": "none", "tools": [{"name": "f"}]})",
        R"({"type": "allowed_tools", "mode": "auto", "tools": []})",
        R"({"type": "allowed_tools", "mode": "auto", "tools": [{"name": "h"}]})",
        R"({"type": "allowed_tools", "mode": "auto", "tools": [3]})"})
    EXPECT_THAT(test::error_of([&] { set_tool_choice(o, Json::parse(wrong)); }).what(), HasSubstr("tool_choice")) << wrong;
}

TEST(ToolChoice, RefusesOthersByName) {
  ChatOptions o = with_tools();
  EXPECT_THAT(test::error_of([&] { set_tool_choice(o, std::string("h")); }).what(),
              testing::AllOf(HasSubstr("h"), HasSubstr("f, g")));
  for (const char* wrong : {"3", "\"f\"", "{}", R"({"function": {"name": 3}})", R"({"function": {"name": "h"}})"})
    EXPECT_THAT(test::error_of([&] { set_tool_choice(o, Json::parse(wrong)); }).what(), HasSubstr("tool_choice")) << wrong;
}

TEST(ResponseFormat, IsTextOrJson) {
  const auto read = [](const char* text) { return response_grammar(Json::parse(text)); };
  EXPECT_TRUE(read(R"({"type": "text"})").empty());
  EXPECT_EQ(read(R"({"type": "json_object"})").text, R"({"type": "object"})");
  const GrammarParams nested = read(R"({"type": "json_schema", "json_schema": {"name": "n", "schema": {"b": 1, "a": 2}}})");
  EXPECT_EQ(nested.kind, GrammarParams::Kind::kJsonSchema);
  EXPECT_EQ(nested.text, R"({"b":1,"a":2})");
  EXPECT_EQ(read(R"({"type": "json_schema", "schema": true})").text, "true");
  for (const char* wrong : {"3", "{}", R"({"type": "xml"})", R"({"type": "json_schema"})"})
    EXPECT_THAT(test::error_of([&] { read(wrong); }).what(), HasSubstr("response_format")) << wrong;
}

}  // namespace
}  // namespace skald::tool_choice_test
