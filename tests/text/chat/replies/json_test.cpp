#include <nlohmann/json.hpp>

#include "skald/error.h"
#include "tests/text/chat/replies/replies.h"
#include "text/chat/replies/argument_list.h"
#include "text/chat/replies/json_scanner.h"
#include "text/chat/replies/json_text.h"
#include "text/chat/replies/python_text.h"

namespace skald::reply_json_test {
namespace {

// nlohmann's parser says the same of every text, but for control characters within texts.
TEST(JsonScanner, TakesWhatJsonIs) {
  for (std::string_view text : {"{}",
                                "[]",
                                "1",
                                "-0",
                                "0.5e+10",
                                "1E9",
                                "\"a\\u00e9\\n\"",
                                "true",
                                "null",
                                " [1, {\"a\": [\"}\", false]}] ",
                                "",
                                "{",
                                "[1,]",
                                "{\"a\"}",
                                "{\"a\":}",
                                "{a: 1}",
                                "01",
                                "1.",
                                ".5",
                                "-",
                                "1e",
                                "+1",
                                "tru",
                                "nulll",
                                "\"\\x\"",
                                "\"\\u12G4\"",
                                "[1 2]",
                                "{\"a\": 1,}",
                                "'a'",
                                "NaN",
                                "{\"a\": 1}}",
                                "[}",
                                "1 2",
                                "\"a",
                                "[\"a\" \"b\"]",
                                "{,}"}) {
    EXPECT_EQ(is_json(text), nlohmann::json::accept(text)) << text;
  }
  EXPECT_TRUE(is_json("\"a\nb\""));
  EXPECT_EQ(plain_json(" \"a\n\\\"\tb\" "), R"("a\n\"\tb")");
}

TEST(JsonScanner, FindsWhereAValueEnds) {
  for (std::string_view text : {R"({"a": "}"} rest)", "[[1], 2]]", "\"a\\\"b\"c"}) {
    JsonScanner whole, bytes;
    const size_t used = whole.feed(text);
    size_t at = 0;
    while (!bytes.done()) at += bytes.feed(text.substr(at, 1));
    EXPECT_EQ(at, used) << text;
    EXPECT_TRUE(nlohmann::json::accept(text.substr(0, used))) << text;
  }
}

TEST(JsonScanner, BoundsDepth) {
  const std::string open(JsonScanner::kMaxDepth, '['), close(JsonScanner::kMaxDepth, ']');
  EXPECT_TRUE(is_json(open + close));
  EXPECT_FALSE(is_json("[" + open + close + "]"));
}

TEST(JsonText, IsQuotedAndBack) {
  for (const std::string text : {"", "a\"b\\c/\b\f\n\r\t\v\x01", "é 日本 🙂", "\\u0041"}) {
    EXPECT_EQ(nlohmann::json::parse(quote_json(text)).get<std::string>(), text);
    EXPECT_EQ(unquote_json(quote_json(text)), text);
    EXPECT_EQ(unquote_json(nlohmann::json(text).dump(-1, ' ', true)), text);
  }
  EXPECT_EQ(unquote_json(R"("\ud83d\ud83d\ude42\udc00x\ud83d")"), "\uFFFD🙂\uFFFDx\uFFFD");
}

TEST(JsonText, HasMembers) {
  const auto members = json_members(R"( {"a\n": [1, {"b": 2}], "c" : "}" , "":{}} )");
  ASSERT_TRUE(members);
  ASSERT_EQ(members->size(), 3U);
  EXPECT_EQ((*members)[0], (std::pair<std::string, std::string_view>("a\n", "[1, {\"b\": 2}]")));
  EXPECT_EQ((*members)[1].second, "\"}\"");
  EXPECT_EQ((*members)[2].first, "");
  EXPECT_FALSE(json_members("[1]"));
  EXPECT_FALSE(json_members("{\"a\": 1"));
  EXPECT_EQ(json_members("{ }")->size(), 0U);
}

// As Python's json.dumps(ast.literal_eval(text)).
TEST(PythonText, IsWrittenAsJson) {
  for (const auto& [text, want] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"True", "true"},
           {"None", "null"},
           {"-1.5e3", "-1.5e3"},
           {".5", "0.5"},
           {"1.", "1.0"},
           {"'it\\'s \"x\"\\n\\u00e9\\x41\\q'", R"("it's \"x\"\néA\\q")"},
           {"[1, 'a', (2, 3), {'k': [None]}]", R"([1, "a", [2, 3], {"k": [null]}])"},
           {"[1, 2,]", "[1, 2]"},
       }) {
    EXPECT_EQ(python_json(text).value_or("none"), want) << text;
  }
  for (std::string_view text : {"", "nan", "f()", "[1", "{1: 2}", "'a", "[,]", "1 2", "True False"})
    EXPECT_FALSE(python_json(text)) << text;
  EXPECT_FALSE(python_json(std::string(100000, '[')));
}

TEST(PythonText, HasCalls) {
  const auto calls = python_calls("[weather.get(city='LA', n=1), now( )]");
  ASSERT_TRUE(calls);
  EXPECT_EQ(*calls,
            (std::vector<ReplyCall>{{.name = "weather.get", .arguments = R"({"city": "LA", "n": 1})"}, {.name = "now"}}));
  for (std::string_view text : {"[]", "[f]", "[f(1)]", "f(a=1", "[f()] x", "[f(a=b)]", "f(a=1 b=2)"})
    EXPECT_FALSE(python_calls(text)) << text;
}

TEST(Arguments, AreTypedByTheirSchemas) {
  const ReplyTools tools = ReplyTools::parse(R"([{"type": "function", "function": {"name": "f", "parameters": {
    "$defs": {"n": {"type": "integer"}},
    "properties": {"s": {"type": "string"}, "i": {"type": "integer"}, "b": {"type": "boolean"}, "maybe": {"type": ["string", "null"]},
      "any": {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "e": {"enum": ["1", "2"]}, "r": {"$ref": "#/$defs/n"}, "free": {},
      "o": {"properties": {}}, "loop": {"$ref": "#/properties/loop"}}}}}])");
  const auto typed = [&](std::string_view key, std::string_view value) {
    return argument_json(value, tools.kinds("f", key));
  };
  EXPECT_EQ(typed("s", "12"), "\"12\"");
  EXPECT_EQ(typed("s", " a\"b "), R"(" a\"b ")");
  EXPECT_EQ(typed("i", " 12 "), "12");
  EXPECT_EQ(typed("i", "1e20"), "1e20");
  EXPECT_EQ(typed("i", "twelve"), "\"twelve\"");
  EXPECT_EQ(typed("b", "True"), "true");
  EXPECT_EQ(typed("maybe", "null"), "null");
  EXPECT_EQ(typed("maybe", "12"), "\"12\"");
  EXPECT_EQ(typed("maybe", "\"q\""), R"("\"q\"")");
  EXPECT_EQ(typed("any", "5"), "5");
  EXPECT_EQ(typed("any", "five"), "\"five\"");
  EXPECT_EQ(typed("e", "1"), "\"1\"");
  EXPECT_EQ(typed("r", "1"), "1");
  EXPECT_EQ(typed("free", "{\"a\": 1}"), "{\"a\": 1}");
  EXPECT_EQ(typed("free", "02139"), "\"02139\"");
  EXPECT_EQ(typed("o", "{'a': 1}"), "{\"a\": 1}");
  EXPECT_EQ(typed("loop", "1"), "1");
  EXPECT_FALSE(tools.has("g"));
  EXPECT_TRUE(ReplyTools().has("g"));
}

TEST(Tools, ThatAreNoneAreRefused) {
  for (std::string_view text : {"", "{}", "[1]", "[{}]", "[{\"name\": 1}]", "[{\"function\": []}]", "[{\"name\": \"a\"}"}) {
    EXPECT_THROW(ReplyTools::parse(text), Error) << text;
  }
  EXPECT_THROW(ReplyTools::parse(std::string(100000, '[')), Error);
}

}  // namespace
}  // namespace skald::reply_json_test
