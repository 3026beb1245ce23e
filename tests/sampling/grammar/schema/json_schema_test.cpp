// JSON schemas: which texts their grammars take, and how schemas are refused. The meaning of the standard's words is checked
// by suite_test.cpp, where its test suite is at hand.
#include "sampling/grammar/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sampling/grammar/schema/schema_texts.h"

namespace skald::schema_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Case {
  const char* name;
  std::string schema;
  std::vector<std::string> taken, not_taken;
};

const std::vector<Case> kCases = {
    {"Anything",
     "{}",
     {"1", "-2.5e-7", R"("A\u0042\/")", R"({"a": [null, {"": true}]})"},
     {"", "01", R"("\ud800")", R"({"a" 1})", "[1,]", "nul"}},
    {"Types", R"({"type": ["integer", "null"]})", {"0", "-12", "null"}, {"1.5", "1.0", "-0", "\"1\"", "true"}},
    {"IntegerBounds",
     R"({"type": "integer", "minimum": -3, "exclusiveMaximum": 120})",
     {"-3", "0", "9", "119"},
     {"-4", "120", "1000", "-30", "1.5"}},
    {"DecimalBounds",
     R"({"type": "number", "exclusiveMinimum": 0.1, "maximum": 0.25})",
     {"0.11", "0.2", "0.25", "0.250"},
     {"0.1", "0.10", "0.2501", "0.26", "-0.2", "1", "2e-1"}},
    {"BoundAtZero", R"({"type": "number", "minimum": 0})", {"0", "0.5", "1e-07", "12"}, {"-1", "-0.5", "-1e-07", "1e400"}},
    {"Steps", R"({"type": "integer", "multipleOf": 7})", {"0", "7", "-14", "700000"}, {"1", "8", "-15", "7.5"}},
    {"DecimalSteps",
     R"({"type": "number", "multipleOf": 0.25})",
     {"0", "0.25", "0.5", "-1.75", "3"},
     {"0.2", "0.125", "1.3", "0.251"}},
    {"OldExclusiveBounds",
     R"({"type": "integer", "minimum": 0, "exclusiveMinimum": true, "maximum": 3})",
     {"1", "3"},
     {"0", "4"}},
    {"Lengths",
     R"({"type": "string", "minLength": 2, "maxLength": 3})",
     {R"("ab")", R"("日本語")", R"("\n\"🙂")"},
     {R"("a")", R"("🙂")", R"("abcd")"}},
    {"Patterns",
     R"({"type": "string", "pattern": "^a|b$"})",
     {R"("a")", R"("ax")", R"("xb")"},
     {R"("xa")", R"("")", R"("bx")"}},
    {"EscapesInPatterns",
     R"({"type": "string", "pattern": "^[\\n\"\\\\]+$"})",
     {R"("\n\"\\")"},
     {R"("n")", R"("\t")", "\"\n\""}},
    {"Enumerations",
     R"({"enum": ["a", "ab", 1, 2.5, null, [1, {"k": "v"}]]})",
     {R"("ab")", "1", "2.5", R"([1, {"k": "v"}])"},
     {R"("abc")", "1.0", "2.50", "[1]", R"([1, {"k": "v", "j": 1}])"}},
    {"ConstWithNul", R"({"const": "a\u0000b"})", {R"("a\u0000b")"}, {R"("ab")"}},
    {"KeysInOrder",
     R"({"properties": {"b": {"type": "null"}, "a": {"type": "null"}}, "type": "object"})",
     {"{}", R"({"b":null,"a":null})", R"({"a":null,"x":1})"},
     {R"({"a":null,"b":null})", R"({"x":1,"a":1})", R"({"a":1})"}},
    {"NoOtherKeys",
     R"({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"], "additionalProperties": false})",
     {R"({"b":1})", R"({"a":1,"b":2})"},
     {"{}", R"({"a":1})", R"({"b":1,"c":2})", R"({"b":1,"b":2})"}},
    {"DeclaredKeysHaveOneSpelling",
     R"({"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}})",
     {R"({"a": 1, "b": "x"})"},
     {R"({"\u0061": "x"})", R"({"b": "x", "a": "x"})"}},
    {"PatternsOfKeys",
     R"({"type": "object", "patternProperties": {"^n": {"type": "integer"}, "s$": {"type": "string"}}, "additionalProperties": false})",
     {R"({"n":1,"as":"x"})"},
     {R"({"ns":1})", R"({"ns":"x"})", R"({"x":1})"}},
    {"NamesOfKeys", R"({"type": "object", "propertyNames": {"maxLength": 2}})", {R"({"ab":1})"}, {R"({"abc":1})"}},
    {"NumbersOfMembers",
     R"({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "additionalProperties": false, "minProperties": 2, "maxProperties": 2})",
     {R"({"a":1,"c":2})"},
     {"{}", R"({"a":1})", R"({"a":1,"b":2,"c":3})"}},
    {"RequiredBeyondThoseListed",
     R"({"type": "object", "properties": {"a": {}}, "required": ["y", "x"]})",
     {R"({"a":1,"x":1,"y":2})", R"({"z":0,"y":1,"x":2})"},
     {R"({"a":1,"x":1})", R"({"x":1,"y":1,"x":1})"}},
    {"ItemsInFront",
     R"({"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}], "items": {"type": "integer"}, "minItems": 1, "maxItems": 3})",
     {R"(["a"])", R"(["a", null, 3])"},
     {"[]", R"(["a", 3])", R"(["a", null, 3, 4])"}},
    {"OldItems",
     R"({"type": "array", "items": [{"type": "string"}], "additionalItems": false})",
     {"[]", R"(["a"])"},
     {"[1]", R"(["a", 1])"}},
    {"Contains",
     R"({"type": "array", "contains": {"const": 7}, "minContains": 1, "maxContains": 2})",
     {"[7]", "[1, 7, 7]"},
     {"[]", "[1]", "[7, 7, 7]"}},
    {"UniqueItemsOfAList",
     R"({"type": "array", "items": {"enum": ["a", "b", 1]}, "uniqueItems": true})",
     {"[]", R"(["b", 1, "a"])"},
     {R"(["a", "a"])", "[1, 1]"}},
    {"AllOf",
     R"({"allOf": [{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"properties": {"a": {"maximum": 3}, "b": {"type": "string"}}}]})",
     {R"({"a": 3})", R"({"a": 1, "b": "x"})", R"({"b": "x", "a": 1})"},
     {R"({"a": 4})", "{}", R"({"a": 1, "b": 2})"}},
    {"OneOfThatOverlaps",
     R"({"oneOf": [{"type": "integer", "minimum": 0}, {"type": "number", "maximum": 5}]})",
     {"7", "-1", "2.5"},
     {"3", "7.5", "0"}},
    {"OneOfObjects",
     R"({"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]})",
     {R"({"a":1})", R"({"b":1,"c":2})"},
     {"{}", R"({"a":1,"b":2})", R"({"b":1,"a":2})"}},
    {"Not",
     R"({"not": {"type": "object", "properties": {"a": {"type": "string"}}}})",
     {"1", R"({"a": 1})"},
     {R"({"a": "x"})", "{}", R"({"b": 1})"}},
    {"Condition",
     R"({"type": "object", "properties": {"k": {"enum": ["x", "y"]}, "v": {}}, "required": ["k"], "if": {"properties": {"k": {"const": "x"}}}, "then": {"required": ["v"]}})",
     {R"({"k":"x","v":1})", R"({"k":"y"})"},
     {R"({"k":"x"})", R"({"v":1})"}},
    {"Dependencies",
     R"({"type": "object", "dependentRequired": {"a": ["b"]}})",
     {"{}", R"({"b":1})", R"({"b":1,"a":2})"},
     {R"({"a":1})", R"({"a":1,"c":2})"}},
    {"Recursion",
     R"({"$defs": {"n": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}}, "required": ["v", "next"], "additionalProperties": false}}, "$ref": "#/$defs/n"})",
     {R"({"v":1,"next":{"v":2,"next":null}})"},
     {R"({"v":1})", R"({"v":1,"next":{"v":2}})"}},
    {"Unevaluated",
     R"({"type": "object", "properties": {"a": {}}, "anyOf": [{"properties": {"b": {"const": 1}}, "required": ["b"]}, true], "unevaluatedProperties": false})",
     {R"({"a":1})", R"({"a":1,"b":1})"},
     {R"({"b":2})", R"({"c":1})"}},
    {"AnnotationsSayNothing",
     R"({"type": "null", "title": "t", "default": 1, "examples": [2], "x-own": {"type": "nosuch"}})",
     {"null"},
     {"1"}},
};

class Schemas : public testing::TestWithParam<Case> {};

TEST_P(Schemas, TakeTheirValuesAndNoOther) {
  SchemaTexts texts(GetParam().schema);
  for (const std::string& text : GetParam().taken) EXPECT_TRUE(texts.takes(text)) << text;
  for (const std::string& text : GetParam().not_taken) EXPECT_FALSE(texts.takes(text)) << text;
}

INSTANTIATE_TEST_SUITE_P(All, Schemas, testing::ValuesIn(kCases), [](const auto& info) { return info.param.name; });

TEST(SchemaWhitespace, IsWhereItsModeHasIt) {
  const std::string schema = R"({"type": "object", "properties": {"a": {"type": "array"}}})";
  SchemaTexts flexible(schema), single(schema, JsonWhitespace::kSingle), none(schema, JsonWhitespace::kNone);
  for (const char* text : {R"({"a":[1,2]})"}) EXPECT_TRUE(flexible.takes(text) && single.takes(text) && none.takes(text));
  for (const char* text : {R"({"a": [1, 2]})"}) EXPECT_TRUE(flexible.takes(text) && single.takes(text) && !none.takes(text));
  for (const char* text : {"{\n  \"a\" : [\n\t1 ]\n}", R"({ "a":[1 ,2]})", "{\n}"})
    EXPECT_TRUE(flexible.takes(text) && !single.takes(text) && !none.takes(text)) << text;
  for (const std::string& text :
       {std::string(" {}"), std::string("{} "), std::string("{  }"), "{\n" + std::string(65, ' ') + "}"})
    EXPECT_FALSE(flexible.takes(text)) << text;
}

struct Refused {
  std::string schema;
  std::vector<std::string> words;  // of the error
};

TEST(SchemaRefusals, NameTheKeywordAndItsPlace) {
  const std::vector<Refused> cases = {
      {R"({"properties": {"a": {"type": "nosuch"}}})", {"type", "\"/properties/a\"", "nosuch"}},
      {R"({"maxLength": "3"})", {"maxLength", "the root"}},
      {R"({"multipleOf": 0})", {"multipleOf"}},
      {R"({"$ref": "http://localhost/x.json"})", {"$ref", "http://localhost/x.json"}},
      {R"({"$ref": "#/$defs/none"})", {"$ref", "#/$defs/none"}},
      {R"({"items": {"$ref": "#/items"}})", {"$ref", "itself"}},
      {R"({"type": "array", "items": {"type": "string"}, "uniqueItems": true})", {"uniqueItems"}},
      {R"({"type": "object", "minProperties": 2})", {"minProperties"}},
      {R"x({"type": "string", "pattern": "a(?=b)"})x", {"pattern"}},
      {R"({"type": "string", "pattern": "("})", {"pattern"}},
      {R"({"not": {"additionalProperties": {"type": "string"}}})", {"additionalProperties"}},
      {R"({"items": 5})", {"items", "\"/items\""}},
      {R"({"disallow": "string"})", {"disallow"}},
      {R"({"type": "number", "multipleOf": 1e-300})", {"multipleOf"}},
      {R"({"a": 1, "a": 2})", {"\"a\"", "twice"}},
      {R"({"enum": ["\ud800"]})", {"not valid JSON"}},
  };
  for (const Refused& c : cases) {
    const std::string error = refusal_of(c.schema);
    for (const std::string& word : c.words) EXPECT_THAT(error, HasSubstr(word)) << c.schema;
  }
}

TEST(SchemaRefusals, SayThatNoValueFits) {
  for (const char* schema :
       {R"({"type": "integer", "minimum": 5, "maximum": 3})", R"({"allOf": [{"type": "string"}, {"type": "integer"}]})",
        R"({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]})", R"({"not": {}})", "false"}) {
    const std::string error = refusal_of(schema);
    EXPECT_THAT(error, HasSubstr("no value fits")) << schema;
  }
}

TEST(SchemaRefusals, NameThePlaceThatTakesNoValue) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"type": "object", "properties": {"a": {"enum": []}}, "required": ["a"]})", R"(enum at "/properties/a")"},
      {R"({"type": "object", "properties": {"a": false}, "required": ["a"]})", R"(false at "/properties/a")"},
      {R"({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"allOf": [true, {"not": {}}]}},
           "required": ["b"]}}, "required": ["a"]})",
       R"(not at "/properties/a/properties/b/allOf/1")"},
      {R"({"$ref": "#/$defs/x", "$defs": {"x": {"type": "integer", "minimum": 5, "maximum": 3}}})",
       R"(type, minimum, maximum at "/$defs/x")"},
      {R"({"type": "integer", "minimum": 5, "maximum": 3})", "type, minimum, maximum at the root"},
  };
  for (const auto& [schema, place] : cases) EXPECT_THAT(refusal_of(schema), HasSubstr(place)) << schema;
}

TEST(SchemaRefusals, ComeBeforeTimeAndMemoryRunOut) {
  std::string deep = "true", chain = R"({"$defs": {"d0": {"type": "null"})", product = R"({"allOf": [)";
  for (int i = 0; i < 300; ++i) deep = R"({"items":)" + deep + "}";
  for (int i = 1; i < 1000; ++i)
    chain += R"(, "d)" + std::to_string(i) + R"(": {"minLength": 1, "$ref": "#/$defs/d)" + std::to_string(i - 1) + R"("})";
  chain += R"(}, "$ref": "#/$defs/d999"})";
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    product += R"({"anyOf": [{"properties": {"p)" + n + R"(": {"const": 0}}, "required": ["p)" + n +
               R"("]}, {"properties": {"q)" + n + R"(": {"const": 1}}, "required": ["q)" + n + R"("]}]},)";
  }
  product.back() = ']';
  EXPECT_THAT(refusal_of(deep), HasSubstr("levels deep"));
  EXPECT_THAT(refusal_of(chain), HasSubstr("$ref"));
  EXPECT_THAT(refusal_of(product + "}"), HasSubstr("allOf"));
}

TEST(SchemaWarnings, TellWhatIsIgnored) {
  SchemaTexts texts(
      R"({"type": "object", "properties": {"a": {"type": "string", "format": "colour"}, "b": {"type": "string", "nullable": true}}})");
  EXPECT_THAT(texts.warnings(), ElementsAre(HasSubstr("\"colour\""), HasSubstr("nullable")));
  EXPECT_FALSE(texts.takes(R"({"b": null})"));
}

}  // namespace
}  // namespace skald::schema_test
