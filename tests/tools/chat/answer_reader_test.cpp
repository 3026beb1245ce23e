// Answers as they come, with reasoning that is told apart or not.
#include "tools/chat/answer_reader.h"

#include <gtest/gtest.h>

#include "tools/chat/chat_session.h"

namespace skald::answer_reader_test {
namespace {

Reply read(AnswerReader& reader, std::string_view text) {
  for (const char c : text) reader.push({.token = 1, .text = std::string_view(&c, 1)});
  return reader.finish(false);
}

const ReplyFormat& hermes() { return find_reply_format("hermes"); }
const std::string kCall = "<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>";

TEST(AnswerReader, ReadsCallsWhereReasoningIsNotToldApart) {
  ChatOptions options;
  options.separate_reasoning = false;
  const AnswerReader::OnDelta nobody;
  const ReplyTools tools = ReplyTools::parse(R"([{"name": "now"}])");
  AnswerReader reader(hermes(), {.tools = tools, .generation_prompt = ""}, options, nobody);
  const Reply reply = read(reader, "<think>Hm.</think>So." + kCall);
  EXPECT_EQ(reply.content, "<think>Hm.</think>So.");
  EXPECT_EQ(reply.reasoning, "");
  ASSERT_EQ(reply.calls.size(), 1u);
  AnswerReader raw(hermes(), {.tools = {}, .generation_prompt = ""}, options, nobody);
  EXPECT_EQ(read(raw, kCall).content, kCall) << "without tools all is text";
}

TEST(AnswerReader, ReadsNoCallsWhereNoneAreWanted) {
  ChatOptions options;
  options.tool_choice = ReplyParams::ToolChoice::kNone;
  const AnswerReader::OnDelta nobody;
  const std::string json = "{\"a\": \"<tool_call>{}\"}";
  AnswerReader reader(hermes(), {.tools = {}, .generation_prompt = ""}, options, nobody);
  const Reply reply = read(reader, "<think>Hm.</think>" + json + kCall);
  EXPECT_EQ(reply.content, json + kCall);
  EXPECT_EQ(reply.reasoning, "Hm.");
  EXPECT_TRUE(reply.calls.empty());
}

}  // namespace
}  // namespace skald::answer_reader_test
