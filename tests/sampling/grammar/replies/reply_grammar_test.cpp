// Grammars of replies: texts that they take are read as calls that fit the tools, and nothing else is.
#include "sampling/grammar/replies/reply_grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sampling/grammar/replies/call_template.h"
#include "tests/sampling/grammar/replies/reply_texts.h"
#include "tests/support/errors.h"
#include "text/chat/replies/reply_parser.h"

namespace skald::reply_grammar_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Choice = ReplyParams::ToolChoice;

constexpr const char* kTools = R"([
  {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 9},
                   "unit": {"enum": ["C", "F"]}, "note": {"type": ["string", "null"]}},
    "required": ["city"]}}},
  {"name": "add", "parameters": {"type": "object", "properties": {
     "numbers": {"type": "array", "items": {"type": "number"}, "maxItems": 2},
     "exact": {"type": "boolean"}, "how": {"type": "object", "properties": {"as": {"type": "string"}},
     "additionalProperties": false}}, "required": ["numbers", "exact"], "additionalProperties": false}},
  {"name": "now"}
])";

GrammarParams params(std::string_view format, Choice choice, std::string prompt_end = "") {
  return {.reply = {.format = std::string(format), .prompt_end = std::move(prompt_end), .tools = kTools, .choice = choice}};
}

// How prompts end before replies of formats that begin in the middle of something.
std::string prompt_end(std::string_view format) {
  if (format == "functionary-v3.2") return "<|start_header_id|>assistant<|end_header_id|>\n\n>>>";
  if (format == "gpt-oss") return "<|start|>assistant";
  if (format == "solar-open") return "<|begin|>assistant";
  return "<|im_start|>assistant\n";
}

// Content in front of calls.
std::string said(std::string_view format) {
  if (format == "functionary-v3.2") return "all\nSo.";
  if (format == "gpt-oss") return "<|channel|>commentary<|message|>So.";
  return "So.";
}

Reply read(std::string_view format, const std::string& text) {
  return parse_reply(find_reply_format(format), text,
                     {.tools = ReplyTools::parse(kTools), .generation_prompt = prompt_end(format)});
}

bool fits_weather(const json& a) {
  for (const auto& [key, value] : a.items()) {
    const bool fits = key == "city"   ? value.is_string()
                      : key == "days" ? value.is_number_integer() && value >= 1 && value <= 9
                      : key == "unit" ? value == "C" || value == "F"
                                      : key == "note" && (value.is_string() || value.is_null());
    if (!fits) return false;
  }
  return a.contains("city");
}

bool fits_add(const json& a) {
  for (const auto& [key, value] : a.items()) {
    bool fits = key == "numbers" ? value.is_array() && value.size() <= 2
                : key == "exact" ? value.is_boolean()
                                 : key == "how";
    if (key == "numbers")
      for (const json& number : value) fits = fits && number.is_number();
    if (key == "how") fits = value.is_object() && (value.empty() || (value.size() == 1 && value.contains("as")));
    if (!fits) return false;
  }
  return a.contains("numbers") && a.contains("exact");
}

void expect_known_calls(const Reply& reply, const std::string& what) {
  for (const ReplyCall& call : reply.calls) {
    const json arguments = json::parse(call.arguments, nullptr, false);
    ASSERT_TRUE(arguments.is_object()) << what;
    const bool fits = call.name == "get_weather" ? fits_weather(arguments)
                      : call.name == "add"       ? fits_add(arguments)
                                                 : call.name == "now" && arguments.empty();
    EXPECT_TRUE(fits) << call.name << call.arguments << "\nin " << what;
  }
}

std::vector<std::string_view> formats_with_calls() {
  std::vector<std::string_view> out;
  for (const ReplyFormat* format : reply_formats())
    if (!format->triggers.empty()) out.push_back(format->name);
  return out;
}

class EveryReplyGrammar : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryReplyGrammar, OfRequiredCallsTakesCallsThatAreReadAndFit) {
  ReplyTexts texts(params(GetParam(), Choice::kRequired, prompt_end(GetParam())));
  size_t calls = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const std::string text = texts.drawn(seed, static_cast<int>(seed) * 6);
    const Reply reply = read(GetParam(), text);
    EXPECT_FALSE(reply.calls.empty()) << text;
    EXPECT_EQ(reply.content, "") << text;
    expect_known_calls(reply, text);
    calls += reply.calls.size();
  }
  EXPECT_GE(calls, 60u);
  EXPECT_FALSE(texts.takes("")) << "a call must come";
  EXPECT_FALSE(texts.takes("Hello"));
}

TEST_P(EveryReplyGrammar, OfFreeTextHasNoCallsButSuchThatFit) {
  ReplyTexts texts(params(GetParam(), Choice::kAuto, prompt_end(GetParam())));
  const ReplyFormat& format = find_reply_format(GetParam());
  size_t calls = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const CallShape& shape = format.triggers[seed % format.triggers.size()];
    std::string begin = shape.whole ? "" : said(GetParam());
    begin += std::string(shape.trigger) + std::string(template_head(shape.call));
    if (format.marked.loose && seed % 5 == 1) begin = seed % 2 ? "```json\n{\"name\": \"" : "{\"name\":";
    const std::string text = texts.drawn(seed, static_cast<int>(seed) * 6, seed % 3 == 0 ? "" : begin);
    const Reply reply = read(GetParam(), text);
    expect_known_calls(reply, text);
    calls += reply.calls.size();
  }
  if (!format.triggers[0].whole) {
    EXPECT_GE(calls, 10u);
  }
  if (!format.content.must_open) {
    EXPECT_TRUE(texts.takes("Hello <b>you</b>, {\"a\": [1]}"));
  }
}

TEST_P(EveryReplyGrammar, WithoutParallelCallsHasOne) {
  GrammarParams one = params(GetParam(), Choice::kRequired, prompt_end(GetParam()));
  one.reply.parallel = false;
  one.reply.tool = "now";
  ReplyTexts texts(one);
  for (uint32_t seed = 0; seed < 10; ++seed) {
    const std::string text = texts.drawn(seed, 200);
    const Reply reply = read(GetParam(), text);
    ASSERT_EQ(reply.calls.size(), 1u) << text;
    EXPECT_EQ(reply.calls[0].name, "now");
    EXPECT_EQ(reply.calls[0].arguments, "{}");
  }
}

INSTANTIATE_TEST_SUITE_P(AllFormats, EveryReplyGrammar, testing::ValuesIn(formats_with_calls()), [](const auto& info) {
  std::string name(info.param);
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(ReplyGrammar, RefusesCallsThatDoNotFit) {
  const std::string open = "<tool_call>\n{\"name\": \"", close = "}\n</tool_call>";
  ReplyTexts texts(params("hermes", Choice::kAuto));
  EXPECT_TRUE(
      texts.takes("Let me see.\n" + open + "get_weather\", \"arguments\": {\"city\": \"Oslo\", \"days\": 3}" + close));
  EXPECT_TRUE(texts.takes(open + "now\", \"arguments\": {}" + close + " and text"));
  EXPECT_FALSE(texts.begins(open + "get_wether"));
  EXPECT_FALSE(texts.begins(open + "get_weather\", \"arguments\": {}"));
  EXPECT_FALSE(texts.begins(open + "get_weather\", \"arguments\": {\"city\": 3"));
  EXPECT_FALSE(texts.begins(open + "get_weather\", \"arguments\": {\"city\": \"Oslo\", \"days\": 3, \"other\""));
  EXPECT_FALSE(texts.begins("<tool_call>nonsense"));
  EXPECT_FALSE(texts.begins("<function=now>")) << "the reader would take it for a call";
  EXPECT_FALSE(texts.takes(open + "now\", \"arguments\": {}")) << "not closed";
}

TEST(ReplyGrammar, OfRequiredCallsBeginsWithThem) {
  const std::string call = "<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>";
  GrammarParams p = params("hermes", Choice::kRequired);
  EXPECT_TRUE(ReplyTexts(p).takes(call));
  EXPECT_TRUE(ReplyTexts(p).takes("<think>Hm.</think>\n\n" + call));
  p.reply.reasoning = false;
  EXPECT_TRUE(ReplyTexts(p).takes(call));
  EXPECT_FALSE(ReplyTexts(p).begins("\n"));
}

TEST(ReplyGrammar, WithoutAChoiceOfToolsHasNoCalls) {
  ReplyTexts texts(params("hermes", Choice::kNone));
  EXPECT_TRUE(texts.takes("Text < text"));
  EXPECT_FALSE(texts.begins("<tool_call>"));
  ReplyTexts bare(params("json", Choice::kNone));
  EXPECT_TRUE(bare.takes("{\"name\": \"x\", \"age\": 3}"));
  EXPECT_FALSE(bare.takes("{\"name\": \"now\", \"arguments\": {}}"));
}

TEST(ReplyGrammar, OfBareCallsTakesOtherJson) {
  ReplyTexts texts(params("json", Choice::kAuto));
  EXPECT_TRUE(texts.takes("{\"name\": \"Bob\", \"age\": 3}"));
  EXPECT_TRUE(texts.takes("{\"name\": \"now\", \"arguments\": {}}"));
  EXPECT_FALSE(texts.takes("{\"name\": \"now\", \"arguments\": {\"a\": 1}}"));
  EXPECT_FALSE(texts.takes("[{\"arguments\": {}, \"name\": \"now\", \"id\": 1}]"));
}

// As Qwen2.5-Coder writes them.
TEST(ReplyGrammar, OfLooseCallsHoldsTheirArguments) {
  ReplyTexts texts(params("hermes", Choice::kAuto));
  const std::string fence = "```json\n", end = "\n```", now = R"({"name": "now", "arguments": {}})";
  EXPECT_TRUE(texts.takes(now));
  EXPECT_TRUE(texts.takes(fence + now + end));
  EXPECT_TRUE(texts.takes("```\n[" + now + ",\n" + now + "]\n```\n"));
  EXPECT_TRUE(texts.takes(fence + now + "\n" + now + end + "\n\n" + fence + now + end));
  EXPECT_TRUE(
      texts.takes(fence + "{\n  \"name\": \"get_weather\",\n  \"arguments\": {\n    \"city\": \"Oslo\"\n  }\n}" + end));
  EXPECT_TRUE(texts.takes(fence + now + end + "\nSo it goes.")) << "an example of a call is none";
  EXPECT_FALSE(texts.begins(R"({"name": "now", "arguments": {"a")"));
  EXPECT_FALSE(texts.begins(fence + R"({"name": "get_weather", "parameters": {"city": 3)"));
  EXPECT_FALSE(texts.begins(fence + now + end + "\n" + fence + R"({"name": "now", "arguments": {"a")"));
  for (const char* other : {R"({"name": "other", "arguments": {"a": 1}})", R"({"arguments": {"a": 1}, "name": "now"})",
                            R"({"name": "now", "arguments": "x"})", R"({"name": "now", "age": 3})", "```python\nx = {}\n```",
                            R"([{"name": "get_weather"}])", "{", "```json\n{\"a\": [1, 2]}\n```\nThat is JSON."})
    EXPECT_TRUE(texts.takes(other)) << other;
  ReplyTexts none(params("hermes", Choice::kNone));
  EXPECT_FALSE(none.takes(now));
  GrammarParams one = params("hermes", Choice::kAuto);
  one.reply.parallel = false;
  EXPECT_FALSE(ReplyTexts(one).takes(now + "\n" + now));
}

TEST(ReplyGrammar, BeginsAfterTheReasoning) {
  const GrammarParams digits{.kind = GrammarParams::Kind::kRegex, .text = "[0-9]+", .reply = {.format = "hermes"}};
  ReplyTexts maybe(digits);
  EXPECT_TRUE(maybe.takes("12"));
  EXPECT_TRUE(maybe.takes("<think>\nSo 1 < 2.\n</think>\n\n12"));
  EXPECT_TRUE(maybe.takes("\n<think></think>12"));
  EXPECT_FALSE(maybe.takes("<think>12"));
  EXPECT_FALSE(maybe.takes("<think></think>x"));
  EXPECT_FALSE(maybe.begins("So <think>"));
  GrammarParams open = digits;
  open.reply.prompt_end = "<|im_start|>assistant\n<think>\n";
  ReplyTexts within(open);
  EXPECT_TRUE(within.takes("Hm.\n</think>\n\n12"));
  EXPECT_FALSE(within.takes("12"));
  EXPECT_TRUE(within.begins("12"));
  open.reply.reasoning = false;
  EXPECT_TRUE(ReplyTexts(open).takes("12"));
  EXPECT_FALSE(ReplyTexts(open).begins("<think>"));
}

TEST(ReplyGrammar, HasNoThinkingAfterAPromptThatEndsIt) {
  GrammarParams digits{.kind = GrammarParams::Kind::kRegex, .text = "[0-9]+", .reply = {.format = "hermes"}};
  digits.reply.prompt_end = "<|im_start|>assistant\n<think>\n\n</think>\n\n";
  ReplyTexts texts(digits);
  EXPECT_TRUE(texts.takes("12"));
  EXPECT_FALSE(texts.begins("<think>"));
}

// White space counts as content where no other part is beside it.
TEST(ReplyGrammar, HasNoWhiteSpaceAroundTheValue) {
  for (const std::string format : {"hermes", "command-r7b", "kimi-k3", "json", "none", "mistral"}) {
    GrammarParams object{.kind = GrammarParams::Kind::kJsonSchema, .text = R"({"type": "object"})"};
    object.reply = {.format = format, .prompt_end = "<|im_start|>assistant\n"};
    ReplyTexts thinks(object);
    EXPECT_TRUE(thinks.takes("{}")) << format;
    EXPECT_FALSE(thinks.takes(" {}")) << format;
    EXPECT_FALSE(thinks.begins("\n{")) << format;
    EXPECT_FALSE(thinks.begins("{} ")) << format;
    object.reply.reasoning = false;
    ReplyTexts texts(object);
    EXPECT_TRUE(texts.takes("{}")) << format;
    for (const char* other : {" ", "\n", "<think>"}) EXPECT_FALSE(texts.begins(other)) << format;
  }
}

TEST(ReplyGrammar, KnowsWhatFormatsHaveAroundContent) {
  const auto takes = [](std::string format, const std::string& text) {
    ReplyTexts texts({.kind = GrammarParams::Kind::kRegex,
                      .text = "[0-9]+",
                      .reply = {.format = format, .prompt_end = prompt_end(format)}});
    const Reply reply = parse_reply(find_reply_format(format), text, {.generation_prompt = prompt_end(format)});
    return texts.takes(text) && reply.content == "12";
  };
  EXPECT_TRUE(takes("gpt-oss", "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>12"));
  EXPECT_TRUE(takes("gpt-oss", "<|channel|>final<|message|>12"));
  EXPECT_FALSE(takes("gpt-oss", "12"));
  EXPECT_TRUE(takes("command-r7b", "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>12<|END_RESPONSE|>"));
  EXPECT_TRUE(
      takes("kimi-k3", "<|open|>think<|sep|>Hm.<|close|>think<|sep|><|open|>response<|sep|>12<|close|>response<|sep|>"));
  EXPECT_TRUE(takes("solar-open", "<|think|>Hm.<|end|><|begin|>assistant<|content|>12"));
  EXPECT_TRUE(takes("mistral", "[THINK]Hm.[/THINK]12"));
  EXPECT_TRUE(takes("functionary-v3.2", "all\n12"));
  EXPECT_FALSE(takes("functionary-v3.2", "12"));
}

TEST(ReplyGrammar, OfContentAndToolsTakesEither) {
  GrammarParams both = params("hermes", Choice::kAuto);
  both.kind = GrammarParams::Kind::kJsonSchema;
  both.text =
      R"({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false})";
  ReplyTexts texts(both);
  EXPECT_TRUE(texts.takes("{\"a\": 1}"));
  EXPECT_TRUE(texts.takes("<think>x</think>\n<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>"));
  EXPECT_FALSE(texts.begins("Text"));
}

TEST(ReplyGrammar, OfValuesWithoutQuotesTellsTextsFromTheRest) {
  ReplyTexts texts(params("qwen3-xml", Choice::kAuto));
  const auto call = [](std::string_view key, std::string_view value) {
    return "<tool_call>\n<function=get_weather>\n<parameter=city>\nOs\"lo\nN\n</parameter>\n<parameter=" + std::string(key) +
           ">\n" + std::string(value) + "\n</parameter>\n</function>\n</tool_call>";
  };
  EXPECT_TRUE(texts.takes(call("days", "3")));
  EXPECT_FALSE(texts.takes(call("days", "three")));
  EXPECT_FALSE(texts.takes(call("days", "\"3\"")));
  EXPECT_TRUE(texts.takes(call("unit", "C")));
  EXPECT_FALSE(texts.takes(call("unit", "K")));
  EXPECT_TRUE(texts.takes(call("note", "null")));
  EXPECT_TRUE(texts.takes(call("note", "null and void")));
  EXPECT_FALSE(texts.takes(call("note", "a</parameter>b")));
}

TEST(ReplyGrammar, AsksForControlTokensByTheirBytes) {
  Vocab vocab;
  vocab.pieces = {"<tool_call>", "</think>", "<think>", "</tool_call>"};
  vocab.kinds = {PieceKind::kControl, PieceKind::kControl, PieceKind::kUserDefined, PieceKind::kControl};
  vocab.ends.assign(4, false);
  const MarkerSpelling markers(vocab);
  const std::string c(1, kControlByte), call = "\n{\"name\": \"now\", \"arguments\": {}}\n";
  ReplyTexts required(params("hermes", Choice::kRequired), markers);
  EXPECT_TRUE(required.takes(c + "<tool_call>" + call + c + "</tool_call>"));
  EXPECT_FALSE(required.begins("<tool_call>")) << "the model has a token for it";
  EXPECT_FALSE(required.begins(c + "<tool_call>" + call + "</tool_call>"));
  EXPECT_TRUE(required.takes("<think>x" + c + "</think>" + c + "<tool_call>" + call + c + "</tool_call>"));
  ReplyTexts free(params("hermes", Choice::kAuto), markers);
  EXPECT_TRUE(free.takes("Text" + c + "<other>text"));
  EXPECT_TRUE(free.takes("<tool_call>" + call + c + "</tool_call>")) << "text that looks so begins a call too";
  EXPECT_FALSE(free.begins("<tool_call>x"));
  EXPECT_FALSE(free.begins(c + "<tool_call>x"));
  EXPECT_FALSE(free.begins(c + "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"" + c));
}

TEST(ReplyGrammar, EndsWhereTheTurnDoes) {
  Vocab vocab;
  vocab.pieces = {"<|call|>", "<|end|>"};
  vocab.kinds = {PieceKind::kControl, PieceKind::kControl};
  vocab.ends = {true, false};
  const MarkerSpelling markers(vocab);
  ReplyTexts texts(params("gpt-oss", Choice::kRequired, "<|start|>assistant"), markers);
  const std::string call = "<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}";
  EXPECT_TRUE(texts.takes(call));
  EXPECT_FALSE(texts.begins(call + "<"));
}

TEST(ReplyGrammar, SaysWhatCannotBeHeld) {
  const auto error = [](GrammarParams p) { return std::string(test::error_of([&] { ReplyTexts texts(p); }).what()); };
  EXPECT_THAT(error(params("none", Choice::kRequired)), HasSubstr("no calls"));
  EXPECT_THAT(ReplyTexts(params("none", Choice::kAuto)).warnings(), testing::ElementsAre(HasSubstr("no calls")));
  GrammarParams p = params("hermes", Choice::kAuto);
  p.reply.tool = "other";
  EXPECT_THAT(error(p), HasSubstr("other"));
  p = params("hermes", Choice::kAuto);
  p.reply.tools = R"j([{"name": "f", "parameters": {"type": "object", "properties": {"a": {"pattern": "(?=a)"}}}}])j";
  EXPECT_THAT(error(p), testing::AllOf(HasSubstr("tool \"f\""), HasSubstr("pattern"), HasSubstr("/properties/a")));
  p.reply.tools = R"([{"name": "f", "parameters": {"type": "string"}}])";
  EXPECT_THAT(error(p), testing::AllOf(HasSubstr("tool \"f\""), HasSubstr("no object")));
  p.reply.tools = R"([{"name": "a b"}])";
  EXPECT_THAT(error(p), HasSubstr("a b"));
  p.reply.tools = R"([{"name": "f"}, {"name": "f"}])";
  EXPECT_THAT(error(p), HasSubstr("two"));
  p.reply.format = "lfm2";
  p.reply.tools = R"([{"name": "f", "parameters": {"type": "object", "properties": {"a b": {}}}}])";
  EXPECT_THAT(error(p), testing::AllOf(HasSubstr("properties"), HasSubstr("a b")));
}

}  // namespace
}  // namespace skald::reply_grammar_test
