// Which chats may think, and how templates are asked for it.
#include "text/chat/thinking.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "text/vocab.h"

namespace skald::thinking_test {
namespace {

using Json = nlohmann::ordered_json;

Vocab vocab_of(std::vector<std::string> pieces) {
  Vocab out;
  out.pieces = std::move(pieces);
  out.kinds.assign(out.pieces.size(), PieceKind::kUserDefined);
  for (size_t i = 0; i < out.pieces.size(); ++i) out.ids[out.pieces[i]] = static_cast<TokenId>(i);
  return out;
}

TEST(Thinking, IsWhatTheTemplateOrTheVocabularyKnows) {
  const Vocab plain = vocab_of({"a", "<tool_call>"}), thinks = vocab_of({"<think>"}), magistral = vocab_of({"[THINK]"});
  const ReplyFormat &hermes = find_reply_format("hermes"), &mistral = find_reply_format("mistral");
  const std::string chatml = "{{ message.content }}<tool_call>";
  EXPECT_FALSE(can_think(hermes, chatml, plain));
  EXPECT_TRUE(can_think(hermes, chatml, thinks));
  EXPECT_TRUE(can_think(hermes, chatml + "{{ message.reasoning_content }}", plain));
  EXPECT_TRUE(can_think(hermes, chatml + "{% if enable_thinking %}", plain));
  EXPECT_TRUE(can_think(mistral, chatml, magistral));
  EXPECT_TRUE(can_think(mistral, "[THINK]", plain));
  EXPECT_FALSE(can_think(mistral, chatml, plain));
}

TEST(Thinking, IsWantedByABudgetOrAnEffort) {
  EXPECT_EQ(wanted_thinking(-1, ""), std::nullopt);
  EXPECT_EQ(wanted_thinking(0, ""), false);
  EXPECT_EQ(wanted_thinking(0, "high"), false);
  EXPECT_EQ(wanted_thinking(100, "none"), false);
  EXPECT_EQ(wanted_thinking(100, ""), true);
  EXPECT_EQ(wanted_thinking(-1, "low"), true);
}

TEST(Thinking, IsAskedForByTheNamesThatTemplatesHave) {
  Json asked = Json::object();
  ask_for_thinking(asked, true, -1);
  EXPECT_EQ(asked, Json::parse(R"({"enable_thinking": true, "thinking": true})"));
  EXPECT_FALSE(thinking_is_off(asked));
  Json off = Json::object();
  ask_for_thinking(off, false, 0);
  EXPECT_EQ(off, Json::parse(R"({"thinking_budget": 0, "enable_thinking": false, "thinking": false})"));
  EXPECT_TRUE(thinking_is_off(off));
}

TEST(Thinking, IsAsVariablesSayThatAreGiven) {
  for (const char* given : {R"({"enable_thinking": true})", R"({"thinking": false})"}) {
    Json kwargs = Json::parse(given);
    ask_for_thinking(kwargs, !kwargs.front().get<bool>(), -1);
    EXPECT_EQ(kwargs, Json::parse(given));
  }
}

TEST(Thinking, IsEndedWhereThePromptBeginsItUnasked) {
  const ReplyFormat& hermes = find_reply_format("hermes");
  EXPECT_EQ(end_of_unwanted_thinking(hermes, "<|im_start|>assistant\n<think>\n"), "\n</think>\n\n");
  EXPECT_EQ(end_of_unwanted_thinking(hermes, "<|im_start|>assistant\n"), "");
  EXPECT_EQ(end_of_unwanted_thinking(hermes, "<|im_start|>assistant\n<think>\n\n</think>\n\n"), "");
  EXPECT_EQ(end_of_unwanted_thinking(find_reply_format("mistral"), "[/INST][THINK]"), "[/THINK]");
}

}  // namespace
}  // namespace skald::thinking_test
