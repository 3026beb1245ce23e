// Calls and results in messages, for templates that are strict about them.
#include "text/chat/call_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/interruption.h"
#include "tests/support/errors.h"
#include "text/chat/chat_template.h"

namespace skald::call_messages_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr const char* kNine =
    "[0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z][0-9A-Za-z]";

Json call(const char* id, const char* name) {
  Json out = {{"type", "function"}, {"function", {{"name", name}, {"arguments", Json::object()}}}};
  if (*id) out["id"] = id;
  return out;
}
Json calls(std::vector<Json> all) { return {{"role", "assistant"}, {"content", "So."}, {"tool_calls", std::move(all)}}; }
Json result(const char* id, const char* content, const char* name = "") {
  Json out = {{"role", "tool"}, {"content", content}};
  if (*id) out["tool_call_id"] = id;
  if (*name) out["name"] = name;
  return out;
}

TEST(ShortCallIds, AreKeptOrMadeAlwaysTheSame) {
  EXPECT_EQ(short_call_id("VvvODy9mT"), "VvvODy9mT");
  for (const char* foreign : {"call_WFUcth0eBhmoTe5SdqGzBseJ", "toolu_01A09q90qw90lq917835lq9", "functions.f:0", "0", "",
                              "c1a5298d-939e-4e8f-9fee-2f5d7a7b6a0f", "call_1234", "é"}) {
    EXPECT_THAT(short_call_id(foreign), MatchesRegex(kNine)) << foreign;
    EXPECT_EQ(short_call_id(foreign), short_call_id(foreign));
  }
  EXPECT_NE(short_call_id("call_a"), short_call_id("call_b"));
}

TEST(ShortCallIds, AreTheSameOfACallAndItsResult) {
  const Json out = with_call_ids({calls({call("call_a", "f"), call("toolu_b", "g")}), result("toolu_b", "2"),
                                  result("call_a", "1"), calls({call("VvvODy9mT", "f")}), result("VvvODy9mT", "3")},
                                 true);
  EXPECT_EQ(out[1]["tool_call_id"], out[0]["tool_calls"][1]["id"]);
  EXPECT_EQ(out[2]["tool_call_id"], out[0]["tool_calls"][0]["id"]);
  EXPECT_EQ(out[3]["tool_calls"][0]["id"], "VvvODy9mT");
  EXPECT_EQ(out[4]["tool_call_id"], "VvvODy9mT");
}

// As ollama's clients send them.
TEST(ShortCallIds, AreMadeWhereThereAreNone) {
  const Json out = with_call_ids({calls({call("", "f"), call("", "g")}), result("", "2", "g"), result("", "1"),
                                  calls({call("", "f")}), result("", "3")},
                                 false);
  const Json &first = out[0]["tool_calls"], &second = out[3]["tool_calls"];
  EXPECT_EQ(out[1]["tool_call_id"], first[1]["id"]);
  EXPECT_EQ(out[2]["tool_call_id"], first[0]["id"]);
  EXPECT_EQ(out[4]["tool_call_id"], second[0]["id"]);
  EXPECT_NE(first[0]["id"], second[0]["id"]);
  EXPECT_THAT(first[0]["id"].get<std::string>(), MatchesRegex(kNine));
}

TEST(SingleCalls, ComeWithTheirResults) {
  const Json out = with_single_calls(
      {{{"role", "user"}}, calls({call("a", "f"), call("b", "g")}), result("b", "2"), result("a", "1"), {{"role", "user"}}});
  ASSERT_EQ(out.size(), 6u);
  EXPECT_EQ(out[1]["content"], "So.");
  EXPECT_EQ(out[1]["tool_calls"].size(), 1u);
  EXPECT_EQ(out[2]["content"], "1");
  EXPECT_EQ(out[3]["tool_calls"][0]["id"], "b");
  EXPECT_EQ(out[4]["content"], "2");
  const Json unnamed = with_single_calls({calls({call("", "f"), call("", "g")}), result("", "1"), result("", "2")});
  EXPECT_EQ(unnamed[1]["content"], "1");
  EXPECT_EQ(unnamed[3]["content"], "2");
  const Json one = {calls({call("a", "f")}), result("a", "1")};
  EXPECT_EQ(with_single_calls(one), one);
}

// Clients' calls may be anything.
TEST(CallMessages, TakeWhatIsNoCall) {
  for (const char* odd :
       {R"([{"role": "assistant", "tool_calls": 3}])", R"([{"role": "assistant", "tool_calls": [3, null]}])",
        R"([{"role": "tool"}, {"role": "tool", "tool_call_id": 3}, 5, null])",
        R"([{"role": "assistant", "tool_calls": [{"id": 3, "function": 4}, {}]}, {"role": "tool"}])"}) {
    with_call_ids(Json::parse(odd), true);
    with_single_calls(Json::parse(odd));
  }
}

std::string rendered(const char* source, Json messages) {
  return ChatTemplate(source)
      .render({.messages = std::move(messages), .tools = {}, .documents = {}, .kwargs = {}, .now = {}})
      .bytes();
}

TEST(ChatTemplate, OfMistralSeesShortIds) {
  constexpr const char* kStrict =
      "{% for m in messages %}{% if m.tool_calls %}{% for c in m.tool_calls %}{% if c.id|length != 9 %}"
      "{{ raise_exception('nine') }}{% endif %}[TOOL_CALLS]{{ c.id }}{% endfor %}{% else %}={{ m.tool_call_id }}{% endif %}"
      "{% endfor %}";
  const std::string id = short_call_id("call_a");
  EXPECT_EQ(rendered(kStrict, {calls({call("call_a", "f")}), result("call_a", "1")}), "[TOOL_CALLS]" + id + "=" + id);
  EXPECT_EQ(rendered("{{ messages[0].tool_calls[0].id }}", {calls({call("call_a", "f")})}), "call_a")
      << "other templates see ids as they are";
}

// Of gpt-oss.
TEST(ChatTemplate, IsHelpedWhereItTakesNotAll) {
  constexpr const char* kEither =
      "{% for m in messages %}{% if m.content and m.thinking %}{{ raise_exception('either') }}{% endif %}"
      "{{ m.thinking }}{{ m.content }}{% endfor %}";
  Json message = calls({call("a", "f")});
  message["reasoning_content"] = "Hm.";
  EXPECT_EQ(rendered(kEither, {message}), "Hm.");
  message.erase("tool_calls");
  EXPECT_THAT(test::error_of([&] { rendered(kEither, {message}); }).what(), HasSubstr("either"))
      << "an answer is not dropped";
  EXPECT_EQ(rendered("{{ messages[0].content + '' }}", {{{"role", "assistant"}, {"tool_calls", {call("a", "f")}}}}), "");
  EXPECT_EQ(rendered("{% for t in tools %}{% endfor %}{{ functions + '!' }}", {{{"role", "user"}}}), "!");
}

// As a server's thread waits when other requests are in a hurry.
TEST(ChatTemplate, IsHelpedHoweverLongItsThreadHadToWait) {
  struct Waiting final : Interruption::Watcher {
    void at_point() override { std::this_thread::sleep_for(std::exchange(time, {})); }
    void before_memory(int64_t /*bytes*/) override {}
    std::chrono::milliseconds time{600};
  } watcher;
  const Interruption watched(watcher);
  ChatRequest request;
  request.messages = {{{"role", "assistant"}, {"tool_calls", {call("a", "f")}}}};
  const ChatTemplate slow(
      "{% for i in range(9) %}{% for j in range(50000) %}{% endfor %}{% endfor %}{{ messages[0].content + '!' }}", {},
      {.time = std::chrono::milliseconds(500)});
  EXPECT_EQ(slow.render(request).bytes(), "!");
  EXPECT_EQ(watcher.time.count(), 0) << "it did not wait";
}

}  // namespace
}  // namespace skald::call_messages_test
