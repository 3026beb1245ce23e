// Errors of schemas and tools name the field as each API's client wrote it.
#include "serve/fields/error_place.h"

#include <gtest/gtest.h>

namespace skald::serve {
namespace {

DocumentError in_tool(const std::string& tool, const std::string& pointer) {
  DocumentError out(Errc::kUnsupported, "wrong", pointer);
  out.set_tool(tool);
  return out;
}

TEST(ErrorPlace, IsInTheSchemaOfTheRightTool) {
  const DocumentError error = in_tool("b", "/properties/x/anyOf/1/enum");
  const Json schema = Json::parse(R"({"properties": {"x": {"anyOf": [{}, {"enum": []}]}}})");
  const Json chat = {
      {"tools", Json::array({{{"function", {{"name", "a"}}}}, {{"function", {{"name", "b"}, {"parameters", schema}}}}})}};
  EXPECT_EQ(place_of(error, chat, "tools"), "tools[1].function.parameters.properties.x.anyOf[1].enum");
  const Json messages = {{"tools", Json::array({{{"name", "b"}, {"input_schema", schema}}})}};
  EXPECT_EQ(place_of(error, messages, "tools"), "tools[0].input_schema.properties.x.anyOf[1].enum");
  const Json responses = {{"tools", Json::array({{{"name", "b"}, {"parameters", schema}}})}};
  EXPECT_EQ(place_of(error, responses, "tools"), "tools[0].parameters.properties.x.anyOf[1].enum");
}

TEST(ErrorPlace, TellsKeysThatAreNumbersFromIndices) {
  const Json body = {{"tools", Json::array({{{"name", "b"}, {"parameters", {{"properties", {{"0", {{"a/b", true}}}}}}}}})}};
  EXPECT_EQ(place_of(in_tool("b", "/properties/0/a~1b"), body, "tools"), "tools[0].parameters.properties.0.a/b");
}

TEST(ErrorPlace, OfANameIsThatOfTheLastToolThatHasIt) {
  const Json body = {{"tools", Json::array({{{"name", "b"}}, {{"function", {{"name", "b"}}}}})}};
  EXPECT_EQ(place_of(DocumentError::of_name(Errc::kBadInput, "twice", "b"), body, "tools"), "tools[1].function.name");
}

TEST(ErrorPlace, WithoutAToolIsBelowTheSchema) {
  const DocumentError error(Errc::kBadInput, "wrong", "/properties/a");
  EXPECT_EQ(place_of(error, Json::object(), "text.format.schema"), "text.format.schema.properties.a");
  EXPECT_EQ(place_of(DocumentError(Errc::kBadInput, "wrong", ""), Json::object(), "format"), "format");
}

TEST(ErrorPlace, OfAToolThatTheBodyLacksIsTheListOfTools) {
  EXPECT_EQ(place_of(in_tool("b", "/x"), Json::object(), "json_schema"), "tools");
  EXPECT_EQ(place_of(in_tool("b", "/x"), {{"tools", 5}}, "json_schema"), "tools");
}

}  // namespace
}  // namespace skald::serve
