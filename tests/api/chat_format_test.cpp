#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "skald/skald.h"
#include "tests/engine/requests.h"
#include "tests/support/errors.h"

namespace skald::chat_format_test {
namespace {

using test::error_of;
using test::story_model;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kHermes =
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% if m.reasoning_content %}({{ m.reasoning_content }}){% endif %}"
    "{% for c in m.tool_calls %}<tool_call>{{ c.function.arguments.city }}</tool_call>{% endfor %}"
    "{% if m.tool_call_id %}#{{ m.tool_call_id }} {{ m.name }}{% endif %}{% endfor %}"
    "{% if tools %}{{ tools | length }} tools{{ extra }}{% endif %}{% if add_generation_prompt %}[assistant]<think>{% endif "
    "%}";

ReplyDelta::Kind kind(const ReplyDelta& delta) { return delta.kind; }

TEST(ChatFormat, ShowsMessagesToTheTemplateAsTheChatApiWritesThem) {
  const ChatFormat format(story_model(), kHermes);
  Chat chat{.messages = {{.role = "user", .content = "Hi"},
                         {.role = "assistant",
                          .content = "Well",
                          .reasoning = "hm",
                          .calls = {{.name = "weather", .arguments = R"({"city": "Oslo"})", .id = "c1"}}},
                         {.role = "tool", .content = "rain", .call_id = "c1", .name = "weather"}},
            .tools = R"([{"type": "function", "function": {"name": "weather"}}])",
            .kwargs = R"({"extra": "!"})"};
  const ChatPrompt prompt = format.prompt(chat);
  EXPECT_EQ(prompt.text,
            "[user]Hi[assistant]Well(hm)<tool_call>Oslo</tool_call>[tool]rain#c1 weather1 tools![assistant]<think>");
  EXPECT_EQ(prompt.ending, "[assistant]<think>");
  EXPECT_EQ(story_model().detokenize(prompt.tokens), prompt.text);
  chat.add_generation_prompt = false;
  EXPECT_THAT(format.prompt(chat).text, EndsWith("tools!"));
  EXPECT_THAT(format.prompt(chat).ending, IsEmpty());
}

TEST(ChatFormat, EndsInsideOfTheLastMessageWhereThePromptContinuesIt) {
  const ChatFormat format(story_model(), "chatml");
  const Chat chat{.messages = {{.role = "user", .content = "Hi"}, {.role = "assistant", .content = "Well, "}},
                  .continue_final_message = true};
  EXPECT_THAT(format.prompt(chat).text, EndsWith("assistant\nWell, "));
}

TEST(ChatFormat, TakesRequestsOfTheChatApi) {
  const ChatFormat format(story_model(), "chatml");
  const std::string list = R"([{"role": "user", "content": "Hi"}])";
  const std::string text = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n";
  EXPECT_EQ(format.prompt(list).text, text);
  EXPECT_EQ(format.prompt(R"({"model": "x", "messages": )" + list + "}").text, text);
  EXPECT_EQ(format.prompt(R"({"add_generation_prompt": false, "messages": )" + list + "}").text,
            "<|im_start|>user\nHi<|im_end|>\n");
}

TEST(ChatFormat, NamesWhatIsWrong) {
  EXPECT_EQ(error_of([] { ChatFormat(story_model(), "no-such-template"); }).code(), Errc::kNotFound);
  EXPECT_THAT(error_of([] { ChatFormat(story_model(), "{% if %}"); }).what(), HasSubstr("line 1"));
  const ChatFormat format(story_model(), "chatml");
  EXPECT_THAT(error_of([&] { format.prompt("hello"); }).what(), HasSubstr("chat: not JSON"));
  EXPECT_THAT(error_of([&] { format.prompt(R"({"messages": 3})"); }).what(), HasSubstr("want a list of messages"));
  EXPECT_THAT(error_of([&] { format.prompt(Chat{.tools = "[", .kwargs = {}}); }).what(), HasSubstr("tools: not JSON"));
}

TEST(ChatFormat, ReadsRepliesInTheTemplatesFormat) {
  const ChatFormat format(story_model(), std::string(kHermes) + "{# <tool_call> {\"name\": ...} </tool_call> #}");
  EXPECT_EQ(format.reply_format(), "hermes");
  const ChatPrompt prompt = format.prompt(Chat{.messages = {{.role = "user", .content = "Hi"}},
                                               .tools = R"([{"type": "function", "function": {"name": "f"}}])"});
  ReplyStream stream = format.reply(prompt);  // begins within the reasoning, as the prompt ends there
  std::vector<ReplyDelta> deltas;
  for (const std::string_view piece : {"hm</thi", "nk>Yes.<tool_call>{\"name\": \"f\", \"argum", "ents\": {}}</tool_call>"})
    for (ReplyDelta& delta : stream.push(piece)) deltas.push_back(std::move(delta));
  for (ReplyDelta& delta : stream.finish()) deltas.push_back(std::move(delta));
  Reply reply;
  reply.add(deltas);
  EXPECT_EQ(reply, (Reply{.content = "Yes.", .reasoning = "hm", .calls = {{.name = "f", .arguments = "{}"}}}));
  EXPECT_EQ(kind(deltas.back()), ReplyDelta::Kind::kCall);
}

TEST(ChatFormat, LetsAReplyCallItsToolsAlone) {
  const ChatFormat format(story_model(), std::string(kHermes) + "{# <tool_call> {\"name\": ...} </tool_call> #}");
  const ChatPrompt prompt = format.prompt(Chat{
      .messages = {{.role = "user", .content = "Hi"}},
      .tools = R"([{"type": "function", "function": {"name": "set", "parameters": {"properties": {"n": {"enum": [1, 2]}},
                        "required": ["n"]}}}])"});
  Engine engine(story_model());
  Request request{
      .prompt = prompt.tokens, .max_tokens = 200, .show_special = true, .sampling = {.temperature = 0}, .on_event = {}};
  request.grammar.reply = format.reply_params(prompt);
  request.grammar.reply.reasoning = false;  // the beginning of a story is long
  request.grammar.reply.choice = ReplyParams::ToolChoice::kRequired;
  request.grammar.reply.parallel = false;
  const Result result = engine.generate(std::move(request));
  EXPECT_THAT(result.text,
              testing::ContainsRegex("<tool_call>\n.*\"name\": \"set\", \"arguments\": .\"n\": [12].*</tool_call>"));
}

TEST(Vocabulary, TellsBytesKindsAndSpecialTokens) {
  const Vocabulary v = story_model().vocabulary();
  EXPECT_EQ(v.size(), story_model().n_vocab());
  const TokenId bos = v.special(SpecialToken::kBos).value(), eos = v.special(SpecialToken::kEos).value();
  EXPECT_EQ(v.kind(bos), PieceKind::kControl);
  EXPECT_TRUE(v.is_special(eos));
  EXPECT_TRUE(v.ends_text(eos));
  EXPECT_THAT(v.end_tokens(), testing::Contains(eos));
  EXPECT_EQ(v.find(std::string(v.bytes(eos))), eos);
  EXPECT_EQ(v.find("no such token"), std::nullopt);
  std::string text;
  for (const TokenId id : story_model().tokenize(" cat", {.add_special = false})) text += v.bytes(id);
  EXPECT_THAT(text, EndsWith(" cat"));
  EXPECT_EQ(error_of([&] { v.bytes(-1); }).code(), Errc::kBadInput);
  EXPECT_EQ(error_of([&] { v.kind(static_cast<TokenId>(v.size())); }).code(), Errc::kBadInput);
}

TEST(Model, FindsControlTokensInTrustedPiecesAlone) {
  const Model& model = story_model();
  const TokenId eos = model.vocabulary().special(SpecialToken::kEos).value();
  const std::string name(model.vocabulary().bytes(eos));
  const auto count = [&](const std::vector<TokenId>& ids) { return std::ranges::count(ids, eos); };
  const std::vector<TextPiece> pieces = {{.text = "a"}, {.text = name, .trusted = false}};
  EXPECT_EQ(count(model.tokenize(pieces, {.add_special = false})), 0);
  const std::vector<TextPiece> trusted = {{.text = "a"}, {.text = name}};
  EXPECT_EQ(count(model.tokenize(trusted, {.add_special = false})), 1);
  EXPECT_EQ(count(model.tokenize(name, {.add_special = false, .parse_special = false})), 0);
  EXPECT_EQ(model.detokenize(std::vector<TokenId>{eos}), "");
  EXPECT_EQ(model.detokenize(std::vector<TokenId>{eos}, /*special=*/true), name);
}

}  // namespace
}  // namespace skald::chat_format_test
