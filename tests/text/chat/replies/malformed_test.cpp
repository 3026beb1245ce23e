#include "tests/text/chat/replies/replies.h"

namespace skald::reply_malformed_test {
namespace {

using replies_test::read;

Reply content(std::string text) { return {.content = std::move(text)}; }

// Text that is no call stays text, with its markers: nothing is lost.
TEST(MalformedReplies, AreContent) {
  for (const auto& [format, text] : std::initializer_list<std::pair<std::string_view, std::string>>{
           {"hermes", "<tool_call>not valid json</tool_call>"},
           {"hermes", "<tool_call>\n{\"name\": \"now\", \"arguments\": [1]}\n</tool_call>"},
           {"hermes", "<tool_call>\n{\"arguments\": {}}\n</tool_call> more"},
           {"hermes", "<tool_call>\n{\"name\": \"now\", \"arguments\": {\"a\": 1}"},
           {"qwen3-xml", "<tool_call>\n<function=now>\nhm\n</function>\n</tool_call>"},
           {"qwen3-xml", "<tool_call>\n<function=f>\n<parameter=a>\n1"},
           {"glm-4.5", "<tool_call>is a marker</tool_call>"},
           {"mistral", "[TOOL_CALLS] not json at all"},
           {"mistral", "[TOOL_CALLS]now[ARGS]{\"a\": tru}"},
           {"deepseek-v3", "<｜tool▁calls▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```<｜tool▁calls▁end｜>"},
           {"kimi-k2", "<|tool_calls_section_begin|> noise <|tool_calls_section_end|>"},
           {"gemma4", "<|tool_call>call:bad_func no brace<tool_call|>"},
           {"llama4", "[now(1)]"},
           {"llama3", "{\"name\": \"now\"}"},
           {"llama3", "{\"name\": \"now\", \"parameters\": {}} is JSON"},
           {"json", "[{\"name\": \"now\", \"arguments\": {}}"},
           {"lfm2", "<|tool_call_start|>[now(a)]<|tool_call_end|>"},
       }) {
    EXPECT_EQ(read(format, text), content(text)) << text;
  }
}

TEST(MalformedReplies, KeepTheCallsBeforeThem) {
  EXPECT_EQ(read("mistral", R"([TOOL_CALLS] [{"name": "now", "arguments": {}}, {"name": )"),
            (Reply{.content = R"({"name":)", .reasoning = {}, .calls = {{.name = "now"}}}));
  EXPECT_EQ(read("hermes", "<tool_call>{\"name\": \"now\"}</tool_call>\n<tool_call>{]"),
            (Reply{.content = "<tool_call>{]", .reasoning = {}, .calls = {{.name = "now"}}}));
}

// A tool that there is not is no call where nothing marks it as one.
TEST(UnmarkedCalls, AreOfToolsThatThereAre) {
  const ReplyOptions options{.tools = ReplyTools::parse(R"([{"name": "now"}])")};
  const std::string other = R"({"name": "then", "arguments": {}})";
  EXPECT_EQ(read("json", other, options), content(other));
  EXPECT_EQ(read("json", R"({"name": "now", "arguments": {}})", options).calls.size(), 1U);
  EXPECT_EQ(read("llama4", "[then()]", options), content("[then()]"));
}

TEST(TruncatedReplies, LoseTheUnfinishedCallOnly) {
  const Reply now{.content = "Hi", .reasoning = {}, .calls = {{.name = "now"}}};
  EXPECT_EQ(read("hermes", "Hi<tool_call>{\"name\": \"now\"}</tool_call><tool_call>{\"name\": \"now\"}", {}, true), now);
  EXPECT_EQ(read("hermes", "Hi<tool_call>", {}, true), content("Hi"));
  EXPECT_EQ(read("hermes", "Hi<tool_cal", {}, true), content("Hi"));
  EXPECT_EQ(read("json", R"([{"name": "now", "arguments": {}}, {"name")", {}, true).calls.size(), 1U);
  EXPECT_EQ(read("json", R"({"name": "now", "arg)", {}, true), content(R"({"name": "now", "arg)"));
  // Not cut off, a call may lack its end.
  EXPECT_EQ(read("hermes", "Hi<tool_call>{\"name\": \"now\"}"), now);
}

// A marker that was cut off is no text, wherever it was cut.
TEST(TruncatedReplies, LoseTheirLastMarker) {
  for (const auto& [format, marker] : std::initializer_list<std::pair<std::string_view, std::string>>{
           {"hermes", "<tool_call>"},
           {"qwen3-xml", "<function="},
           {"mistral", "[TOOL_CALLS]"},
           {"deepseek-v3.1", "<｜tool▁calls▁begin｜>"},
           {"kimi-k2", "<|tool_calls_section_begin|>"},
           {"gpt-oss", "<|channel|>commentary to=functions.now <|message|>"},
           {"functionary-v3.2", ">>>now\n"},
           {"none", "<think>"},
       }) {
    for (size_t bytes = 1; bytes <= marker.size(); ++bytes) {
      const std::string cut = marker.substr(0, bytes);
      EXPECT_EQ(read(format, cut, {}, true), Reply{}) << format << " " << cut;
      if (format == "gpt-oss") continue;
      EXPECT_EQ(read(format, "Well.\n" + cut, {}, true).content, format == "none" && bytes == 7 ? "Well.\n<think>" : "Well.")
          << format << " " << cut;
    }
  }
  EXPECT_EQ(read("none", "<think>Hm.\n</thi", {}, true), (Reply{.content = {}, .reasoning = "Hm."}));
  EXPECT_EQ(read("gpt-oss", "<|channel|>final<|message|>So.<|e", {}, true), content("So."));
  EXPECT_EQ(read("command-r-plus", "Acti", {}, true), Reply{});
}

// Text that may be chance stays, and text that was not cut off.
TEST(TruncatedReplies, KeepTextThatBeginsNoMarker) {
  EXPECT_EQ(read("hermes", "1 <", {}, true), content("1 <"));
  EXPECT_EQ(read("hermes", "<b", {}, true), content("<b"));
  EXPECT_EQ(read("command-r-plus", "A", {}, true), content("A"));
  EXPECT_EQ(read("hermes", "Hi<tool_cal"), content("Hi<tool_cal"));
  EXPECT_EQ(read("none", "Hi <tool_cal", {}, true), content("Hi <tool_cal"));
}

TEST(Reasoning, IsInFrontOfContent) {
  EXPECT_EQ(read("none", "<think>\nHm.\n</think>\n\nYes"), (Reply{.content = "Yes", .reasoning = "Hm."}));
  EXPECT_EQ(read("none", "Say <think> and </think>."), content("Say <think> and </think>."));
  EXPECT_EQ(read("none", "\n</think>Yes", {.generation_prompt = "<think></think>"}), content("Yes"));
  EXPECT_EQ(read("none", "Hm.</think>Yes", {.generation_prompt = "x</think>y<think>\n"}),
            (Reply{.content = "Yes", .reasoning = "Hm."}));
  EXPECT_EQ(read("mistral", "Yes[THINK]Hm.[/THINK]No"), (Reply{.content = "YesNo", .reasoning = "Hm."}));
  EXPECT_EQ(
      read("kimi-k3", "<|open|>response<|sep|>Yes<|close|>response<|sep|>", {.generation_prompt = "<|open|>think<|sep|>"}),
      content("Yes"));
}

// A call that is drafted within reasoning is reasoning, unless the model forgot to end it.
TEST(Reasoning, HasCallsOnlyAtItsUnclosedEnd) {
  const std::string call = "<tool_call>\n<function=now>\n</function>\n</tool_call>";
  EXPECT_EQ(read("qwen3-xml", "<think>Now.\n" + call),
            (Reply{.content = {}, .reasoning = "Now.", .calls = {{.name = "now"}}}));
  EXPECT_EQ(read("qwen3-xml", "<think>Now.\n" + call + " or not</think>Yes"),
            (Reply{.content = "Yes", .reasoning = "Now.\n" + call + " or not"}));
  EXPECT_EQ(read("qwen3-xml", "<think>" + call + "\n</think>Yes"), (Reply{.content = "Yes", .reasoning = call}));
  EXPECT_EQ(read("qwen3-xml", "<think>" + call, {}, true), (Reply{.content = {}, .reasoning = call}));
}

TEST(Content, AroundCallsIsKeptAsItIs) {
  EXPECT_EQ(read("hermes", " a\n<tool_call>{\"name\": \"now\"}</tool_call>\n b \n").content, " a\n\n b");
  EXPECT_EQ(read("hermes", "a\n"), content("a\n"));
  EXPECT_EQ(read("hermes", "\n"), content("\n"));
  EXPECT_EQ(read("hermes", "caf\xC3\xA9 \xE2\x82 \xF0\x9F"), content("caf\u00E9 \uFFFD \uFFFD"));
}

// Values that speak of the markers around them.
TEST(TaggedValues, EndWhereTheCallGoesOn) {
  const auto value = [](std::string_view format, const std::string& text) {
    const Reply reply = read(format, text);
    return reply.calls.size() == 1 ? reply.calls.front().arguments : "no call: " + reply.content;
  };
  EXPECT_EQ(value("qwen3-xml",
                  "<tool_call>\n<function=f>\n<parameter=s>\n</parameter> and </function> and <parameter=x>\n</parameter>\n"
                  "</function>\n</tool_call>"),
            R"({"s": "</parameter> and </function> and <parameter=x>"})");
  EXPECT_EQ(value("qwen3-xml", "<tool_call>\n<function=f>\n<parameter=s>\na\n<parameter=t>\nb\n</function>\n</tool_call>"),
            R"({"s": "a", "t": "b"})");
  EXPECT_EQ(value("glm-4.7", "<tool_call>f<arg_key>s</arg_key><arg_value>x</tool_call>; y</tool_call>"),
            R"({"s": "x</tool_call>; y"})");
  EXPECT_EQ(value("kimi-k3",
                  "<|open|>tools<|sep|><|open|>call tool=\"f\" index=\"1\"<|sep|><|open|>argument key=\"a &amp; b\" "
                  "type=\"string\"<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"),
            R"({"a & b": "1"})");
  EXPECT_EQ(value("qwen3-xml",
                  "<tool_call><function=f><parameter=s>1</parameter><parameter=s>2</parameter></function></tool_call>"),
            R"({"s": 2})");
}

// Any text: time in proportion to its length, though it comes byte by byte, and no deep recursion.
TEST(HostileReplies, AreReadInTime) {
  constexpr size_t kSize = 1 << 16;
  for (std::string_view part : {"<tool_call>",
                                "<tool_call>\n<function=a>\n<parameter=b>\n",
                                "</parameter>\n  ",
                                "<tool_call>{\"a\":\"",
                                "{\"name\":",
                                "{\"name\": \"a\", \"arguments\": {}}",
                                "{\"name\": \"a\", \"arguments\": {\"a\": [",
                                "[",
                                "[f(a=[",
                                "<|tool_call>call:f{a:",
                                "<think>",
                                "<",
                                "```json",
                                "<｜tool▁calls▁begin｜>",
                                "<|channel|>",
                                "<|start|>assistant",
                                "[TOOL_CALLS]a[ARGS]",
                                "<arg_key>a</arg_key><arg_value>",
                                " ",
                                "\n<parameter=c>",
                                ">>>a\n",
                                "\xF0",
                                "<|tool_calls_section_begin|>x"}) {
    std::string text;
    while (text.size() < kSize) text += part;
    const ReplyTools tools =
        part == "```json" || part.starts_with("{") || part == "[" ? ReplyTools::parse(R"([{"name": "a"}])") : ReplyTools();
    for (const ReplyFormat* format : reply_formats()) {
      ReplyParser parser(*format, {.tools = tools, .generation_prompt = tools.known() ? "" : "<think>"});
      size_t bytes = 0;
      const auto count = [&](const std::vector<ReplyDelta>& deltas) {
        for (const ReplyDelta& delta : deltas) bytes += delta.text.size() + delta.call.arguments.size();
      };
      for (size_t at = 0; at < 4096; ++at) count(parser.push(std::string_view(text).substr(at, 1)));
      count(parser.push(std::string_view(text).substr(4096)));
      count(parser.finish());
      EXPECT_LE(bytes, 4 * text.size()) << format->name << " " << part;
    }
  }
}

}  // namespace
}  // namespace skald::reply_malformed_test
