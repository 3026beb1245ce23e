#include "tests/text/chat/replies/replies.h"

namespace skald::reply_formats_test {
namespace {

using replies_test::read;

const ReplyCall kWeather{.name = "get_weather", .arguments = R"({"city": "Zürich", "unit": "C"})"};
const ReplyCall kAdd{.name = "add", .arguments = R"({"a": 1, "b": 2.5})"};
const ReplyCall kNow{.name = "now"};

Reply reply(std::string content, std::vector<ReplyCall> calls = {}, std::string reasoning = "") {
  return {.content = std::move(content), .reasoning = std::move(reasoning), .calls = std::move(calls)};
}

ReplyCall with_id(ReplyCall call, std::string id) {
  call.id = std::move(id);
  return call;
}

// As the families' chat templates write a past reply.
TEST(ReplyFormats, OfChatTemplatesAreRead) {
  EXPECT_EQ(
      read(
          "apertus",
          R"(Both.<|tools_prefix|>[{"get_weather": {"city": "Zürich", "unit": "C"}}, {"add": {"a": 1, "b": 2.5}}]<|tools_suffix|>)"),
      reply("Both.", {kWeather, kAdd}));
  EXPECT_EQ(read("apriel",
                 "Both.\n<tool_calls>[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Zürich\", \"unit\": \"C\"}, "
                 "\"id\": \"call00001\"}, {\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": 2.5}}]</tool_calls>\n"),
            reply("Both.", {with_id(kWeather, "call00001"), kAdd}));
  EXPECT_EQ(
      read("command-r7b",
           "<|START_THINKING|>I should look.<|END_THINKING|><|START_ACTION|>[\n    {\"tool_call_id\": \"0\", "
           "\"tool_name\": \"get_weather\", \"parameters\": {\"city\": \"Zürich\", \"unit\": \"C\"}},\n    "
           "{\"tool_call_id\": \"1\", \"tool_name\": \"add\", \"parameters\": {\"a\": 1, \"b\": 2.5}}\n]<|END_ACTION|>"),
      reply("", {with_id(kWeather, "0"), with_id(kAdd, "1")}, "I should look."));
  EXPECT_EQ(read("command-r7b", "<|START_RESPONSE|>Done.<|END_RESPONSE|>"), reply("Done."));
  EXPECT_EQ(read("command-r-plus",
                 "Action: ```json\n[\n    {\n        \"tool_name\": \"add\",\n        \"parameters\": {\"a\": 1, \"b\": "
                 "2.5}\n    }\n]```"),
            reply("", {kAdd}));
  EXPECT_EQ(read("command-r-plus", "Action: run."), reply("Action: run."));
  EXPECT_EQ(read("firefunction", R"( functools[{"name": "add", "arguments": {"a": 1, "b": 2.5}}])"), reply("", {kAdd}));
  EXPECT_EQ(read("functionary-v3.1", R"(Both.<function=add>{"a": 1, "b": 2.5}</function><function=now>{}</function>)"),
            reply("Both.", {kAdd, kNow}));
  EXPECT_EQ(
      read("gigachat3",
           "Both.<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": 2.5}}"),
      reply("Both.", {kAdd}));
  EXPECT_EQ(read("gigachat3.1", R"(Both.<|function_call|>{"name": "add", "arguments": {"a": 1, "b": 2.5}})"),
            reply("Both.", {kAdd}));
  EXPECT_EQ(read("lfm2",
                 "<think>I should look.</think>Both.<|tool_call_start|>[get_weather(city='Zürich', unit='C'), add(a=1, "
                 "b=2.5)]<|tool_call_end|>"),
            reply("Both.", {kWeather, kAdd}, "I should look."));
  EXPECT_EQ(read("minicpm5",
                 "Both.\n<function name=\"get_weather\"><param name=\"city\">Zürich</param><param "
                 "name=\"unit\">C</param></function>\n"
                 "<function name=\"add\"><param name=\"a\">1</param><param name=\"b\">2.5</param></function>"),
            reply("Both.", {kWeather, kAdd}));
  EXPECT_EQ(read("minimax-m1",
                 "<tool_calls>\n{\"name\": \"now\", \"arguments\": {}}\n{\"name\": \"add\", \"arguments\": {\"a\": 1, "
                 "\"b\": 2.5}}\n</tool_calls>"),
            reply("", {kNow, kAdd}));
  EXPECT_EQ(read("minimax-m2",
                 "<think>\nI should look.\n</think>\n\n\n<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter "
                 "name=\"city\">"
                 "Zürich</parameter>\n<parameter name=\"unit\">C</parameter>\n</invoke>\n<invoke name=\"add\">\n<parameter "
                 "name=\"a\">1</parameter>\n<parameter name=\"b\">2.5</parameter>\n</invoke>\n</minimax:tool_call>"),
            reply("", {kWeather, kAdd}, "I should look."));
  EXPECT_EQ(read("nemotron-v2", R"(Both.
<TOOLCALL>[{"name": "now", "arguments": {}}, {"name": "add", "arguments": {"a": 1, "b": 2.5}}]</TOOLCALL>)"),
            reply("Both.", {kNow, kAdd}));
  EXPECT_EQ(read("seed-oss",
                 "<seed:think>I should "
                 "look.</seed:think>\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>Zürich</parameter>\n"
                 "<parameter=unit>C</parameter>\n</function>\n</seed:tool_call>\n<seed:tool_call>\n<function=now>\n</"
                 "function>\n</seed:tool_call>"),
            reply("", {kWeather, kNow}, "I should look."));
  EXPECT_EQ(
      read("solar-open",
           "<|think|>I should look.<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>call00001<|tool_call:name|>add"
           "<|tool_call:args|>{\"a\": 1, \"b\": 2.5}<|tool_call:end|><|calls|>"),
      reply("", {with_id(kAdd, "call00001")}, "I should look."));
  EXPECT_EQ(read("solar-open", "<|think|>Hm.<|end|><|begin|>assistant<|content|>Done.<|end|>"), reply("Done.", {}, "Hm."));
}

TEST(ReplyFormats, OfFunctionaryNamesItsReader) {
  const ReplyOptions prompted{.generation_prompt = "<|start_header_id|>assistant<|end_header_id|>\n\n>>>"};
  EXPECT_EQ(read("functionary-v3.2", "all\nOne >>> two.>>>add\n{\"a\": 1, \"b\": 2.5}>>>now\n{}", prompted),
            reply("One >>> two.", {kAdd, kNow}));
  EXPECT_EQ(read("functionary-v3.2", "Hello"), reply("Hello"));
  EXPECT_EQ(read("functionary-v3.2", "add\n{\"a\": ", prompted, true), reply(""));
}

TEST(ReplyFormats, OfLlamaTakeBuiltInToolsAndSeveralCalls) {
  EXPECT_EQ(read("llama3", R"(<|python_tag|>brave_search.call(query="snow \"today\""))"),
            reply("", {{.name = "brave_search", .arguments = R"({"query": "snow \"today\""})"}}));
  EXPECT_EQ(read("llama3",
                 R"(<|python_tag|>{"name": "now", "parameters": {}}; {"name": "add", "parameters": {"a": 1, "b": 2.5}})"),
            reply("", {kNow, kAdd}));
  EXPECT_EQ(read("llama3", R"({"name": "now", "parameters": {}}; {"name": "add", "parameters": {"a": 1, "b": 2.5}})"),
            reply("", {kNow, kAdd}));
  EXPECT_EQ(read("llama4", R"([get_weather(city="Zürich", unit='C'), add(a=1, b=2.5)])"), reply("", {kWeather, kAdd}));
  EXPECT_EQ(read("llama4", R"(<|python_start|>[now()]<|python_end|>)"), reply("", {kNow}));
  EXPECT_EQ(read("llama4", R"({"name": "now", "parameters": {}})"), reply("", {kNow}));
  EXPECT_EQ(read("llama4", "[1, 2] is a list"), reply("[1, 2] is a list"));
}

TEST(ReplyFormats, OfGptOssKeepWhatSpeaksOfMarkers) {
  EXPECT_EQ(read("gpt-oss",
                 "<|channel|>analysis<|message|>Not <|call|> nor <|channel|>final.<|end|><|start|>assistant to=functions.now"
                 "<|channel|>commentary json<|message|>{}<|call|>",
                 {.generation_prompt = "<|start|>assistant"}),
            reply("", {kNow}, "Not <|call|> nor <|channel|>final."));
  // The prompt may end within a message.
  EXPECT_EQ(read("gpt-oss", "Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi<|return|>",
                 {.generation_prompt = "<|start|>assistant<|channel|>analysis<|message|>"}),
            reply("Hi", {}, "Hm."));
  EXPECT_EQ(read("gpt-oss", "Plain <text>"), reply("Plain <text>"));
  EXPECT_EQ(read("gpt-oss", "<|channel|>commentary to=functions.now<|message|>{nonsense<|call|>"), reply("{nonsense"));
}

TEST(ReplyFormats, SayWhatMixesThemUp) {
  EXPECT_EQ(read("qwen3-xml", "<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>"), reply("", {kNow}));
  EXPECT_EQ(read("hermes", "<tool_call>\n<function=now>\n</function>\n</tool_call>"), reply("", {kNow}));
  EXPECT_EQ(read("hermes", "<tool_call>\n```json\n{\"name\": \"now\", \"arguments\": \"{}\"}}\n```\n</tool_call>"),
            reply("", {kNow}));
  EXPECT_EQ(read("mistral", "[TOOL_CALLS]now{}[TOOL_CALLS]now[ARGS]{}"), reply("", {kNow, kNow}));
  EXPECT_EQ(read("mistral", "[TOOL_CALLS]now", {}, true), reply(""));
  EXPECT_EQ(read("glm-4.5", "<tool_call>{\"name\": \"now\", \"arguments\": {}}</tool_call>"), reply("", {kNow}));
  EXPECT_EQ(read("deepseek-v3", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n{}<｜tool▁call▁end｜>"), reply("", {kNow}));
  EXPECT_EQ(read("llama3", "{\"name\": \"now\", \"parameters\": {}}<|eot_id|>\n"), reply("", {kNow}));
  EXPECT_EQ(read("hermes", "<tool_call>{\"name\": \"now\"}</tool_call>\n</tool_call>Yes"), reply("Yes", {kNow}));
  EXPECT_EQ(read("granite3", "<|tool_call|>[{\"name\": \"now\", \"arguments\": {}}]"), reply("", {kNow}));
  EXPECT_EQ(read("mistral", "[TOOL_CALLS]now[CALL_ID]abc[ARGS]{}"), reply("", {with_id(kNow, "abc")}));
  EXPECT_EQ(read("deepseek-v4", "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"now\"/>\n</｜DSML｜tool_calls>"),
            reply("", {kNow}));
}

// Writes a call as a trigger's data say, with an argument that is a text and one that is not.
std::string written(const CallShape& shape) {
  const auto replace = [](std::string text, std::string_view what, std::string_view with) {
    if (const size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
    return text;
  };
  const auto argument = [&](std::string_view key, std::string_view value, bool text) {
    std::string out = replace(std::string(shape.argument), "$KEY", key);
    out = replace(std::move(out), "$STRING", text ? "true" : "false");
    out = replace(std::move(out), "$TYPE", text ? "string" : "number");
    const std::string quoted = shape.values == CallShape::Values::kGemma    ? "<|\"|>" + std::string(value) + "<|\"|>"
                               : shape.values == CallShape::Values::kPython ? "'" + std::string(value) + "'"
                                                                            : std::string(value);
    return replace(std::move(out), "$VALUE", text ? quoted : std::string(value));
  };
  const std::string arguments = shape.argument.empty()
                                    ? R"({"a": 1, "b": "x y"})"
                                    : argument("a", "1", false) + std::string(shape.comma) + argument("b", "x y", true);
  std::string call = replace(replace(std::string(shape.call), "$NAME", "f"), "$ARGUMENTS", arguments);
  call = replace(replace(std::move(call), "$INDEX", "0"), "$ID", "a1b2c3d4e5");
  std::string out = std::string(shape.trigger) + call;
  if (!shape.alone) out += std::string(shape.between) + call;
  return out + std::string(shape.end);
}

TEST(ReplyFormats, HaveTriggersWhoseCallsTheyRead) {
  const ReplyTools tools = ReplyTools::parse(
      R"([{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}}])");
  for (const ReplyFormat* format : reply_formats()) {
    EXPECT_EQ(format->triggers.empty(), format->name == "none") << format->name;
    for (const CallShape& shape : format->triggers) {
      if (shape.call.find("$NAME") == std::string_view::npos) continue;
      const Reply got = read(format->name, written(shape), {.tools = tools});
      ASSERT_EQ(got.calls.size(), shape.alone ? 1U : 2U) << format->name << ": " << written(shape);
      EXPECT_EQ(got.calls.front().name, "f");
      EXPECT_EQ(got.calls.front().arguments, R"({"a": 1, "b": "x y"})") << format->name;
      EXPECT_EQ(got.content, "") << format->name;
    }
  }
}

}  // namespace
}  // namespace skald::reply_formats_test
