// Calls that models write as plain JSON though their format has markers.
#include "tests/text/chat/replies/replies.h"

namespace skald::loose_calls_test {
namespace {

using replies_test::read;

const ReplyOptions& tools() {
  static const ReplyOptions options{.tools = ReplyTools::parse(R"([{"name": "now"}, {"name": "get_weather"}])")};
  return options;
}

const std::string kNow = R"({"name": "now", "arguments": {}})";
const std::string kOslo = "{\n  \"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}\n}";

Reply calls(int now, int oslo) {
  Reply out;
  for (int i = 0; i < now; ++i) out.calls.push_back({.name = "now"});
  for (int i = 0; i < oslo; ++i) out.calls.push_back({.name = "get_weather", .arguments = R"({"city": "Oslo"})"});
  return out;
}

TEST(LooseCalls, AreAWholeReply) {
  for (const std::string_view format : {"hermes", "qwen3-xml", "json", "llama3", "llama4", "mistral", "granite3"}) {
    EXPECT_EQ(read(format, "```json\n" + kOslo + "\n```", tools()), calls(0, 1)) << format;
    EXPECT_EQ(read(format, kOslo, tools()), calls(0, 1)) << format;
    EXPECT_EQ(read(format, "```\n[" + kNow + ", " + kOslo + "]\n```\n", tools()), calls(1, 1)) << format;
  }
  EXPECT_EQ(read("hermes", "```json\n" + kNow + "\n```\n\n```json\n" + kOslo + "\n```", tools()), calls(1, 1));
  EXPECT_EQ(read("hermes", kNow + "\n" + kNow + "\n" + kOslo, tools()), calls(2, 1));
  EXPECT_EQ(read("hermes", "```json\n" + kNow, tools()), calls(1, 0)) << "a fence that the model left open";
  Reply thought = calls(0, 1);
  thought.reasoning = "Hm.";
  EXPECT_EQ(read("hermes", "<think>Hm.</think>\n\n" + kOslo, tools()), thought);
}

TEST(LooseCalls, AreNoneAmongOtherText) {
  for (const std::string& text :
       {"```json\n" + kNow + "\n```\nThis calls it.", "So: " + kNow, kNow + " or not", "```json\n" + kNow + "\n``` ```",
        std::string(R"({"name": "then", "arguments": {}})"), std::string(R"({"arguments": {}, "name": "now"})"),
        std::string(R"({"name": "now", "arguments": "x"})"), std::string(R"({"name": "now", "arguments": {}, "id": 1})"),
        std::string(R"({"name": "now"})"), std::string("```json\n{\"a\": 1}\n```"), std::string("```python\nnow()\n```"),
        std::string("{"), std::string("[]"), std::string("```"), "[" + kNow})
    EXPECT_EQ(read("hermes", text, tools()).content, text);
  EXPECT_EQ(read("hermes", kNow).content, kNow) << "no tools are known";
  EXPECT_EQ(read("gemma4", kNow, tools()).content, kNow) << "its models write no such calls";
}

// The marked call after a text that looked like one counts.
TEST(LooseCalls, LeaveMarkedOnesAlone) {
  const std::string marked = "<tool_call>\n" + kNow + "\n</tool_call>";
  Reply both = calls(1, 0);
  both.content = kOslo;
  EXPECT_EQ(read("hermes", kOslo + "\n" + marked, tools()), both);
  both.content = R"({"name": "now", "arguments": {"a": ")";
  EXPECT_EQ(read("hermes", both.content + marked, tools()), both);
}

TEST(LooseCalls, ThatWereCutOffAreNone) {
  for (const std::string_view format : {"hermes", "json", "llama3"}) {
    EXPECT_EQ(read(format, R"({"name": "now", "arg)", tools(), true), Reply{}) << format;
    EXPECT_EQ(read(format, R"({"name": "now", "age": 3, "a)", tools(), true).content, R"({"name": "now", "age": 3, "a)")
        << format;
  }
  EXPECT_EQ(read("hermes", "```json\n" + kOslo.substr(0, kOslo.size() - 8), tools(), true), Reply{});
  EXPECT_EQ(read("hermes", "```json\n" + kNow + "\n" + kOslo.substr(0, 30), tools(), true), calls(1, 0));
  EXPECT_EQ(read("hermes", "{\"name\": \"no", tools(), true).content, "{\"name\": \"no") << "it may be anything yet";
}

// Text comes as soon as it can be no call.
TEST(LooseCalls, HoldTextBackNoLongerThanTheyMayCome) {
  const auto held = [](std::string_view text) {
    ReplyParser parser(find_reply_format("hermes"), tools());
    Reply out;
    out.add(parser.push(text));
    return out.content.empty();
  };
  for (const char* open : {"{", "```json\n{ \"na", "{\"name\": \"get_w", R"({"name": "now", "arguments": {"a": [1)"})
    EXPECT_TRUE(held(open)) << open;
  for (const char* other : {"{\"a", "```p", "```json\n{\"nam_", "{\"name\": \"get_h", R"({"name": "now", "ag)", "[1"})
    EXPECT_FALSE(held(other)) << other;
}

}  // namespace
}  // namespace skald::loose_calls_test
