// Reasoning that is ended after a number of tokens.
#include "tools/chat/reasoning_budget.h"

#include <gtest/gtest.h>

#include "engine/grammar_cursor.h"
#include "engine/grammars.h"
#include "tests/text/tiny_vocab.h"
#include "text/chat/replies/open_reasoning.h"

namespace skald::reasoning_budget_test {
namespace {

/// Bytes, and markers as control tokens: with those by which <|end|> is known to end no text.
const Tokenizer& tokenizer() {
  static const std::unique_ptr<Tokenizer> all = [] {
    std::vector<test::TinyPiece> markers;
    for (const char* name : {"[THINK]", "[/THINK]", "<think>", "</think>", "<|start|>", "<|channel|>", "<|message|>",
                             "<|end|>", "<|return|>", "<|call|>", "<|calls|>", "<|flush|>", "<|begin|>"})
      markers.push_back({name, PieceKind::kControl});
    return Tokenizer::create(test::bpe_meta("gpt-2", {}, markers));
  }();
  return *all;
}

/// The tokens of a text, those that were forced in their places, and how they ended it.
struct Said {
  std::string text, forced;
};
Said said(std::string_view format, std::string prompt, std::string_view text, int64_t budget) {
  const auto made = reasoning_budget(tokenizer(), {&find_reply_format(format), std::move(prompt), budget});
  const std::unique_ptr<TokenForcer> forcer = made->begin();
  Said out;
  for (const TokenId token : tokenizer().encode(text, {.add_special = false})) {
    out.text += tokenizer().text_of(token, /*special=*/true);
    const std::vector<TokenId> next = forcer->after(token);
    for (const TokenId forced : next) EXPECT_TRUE(forcer->after(forced).empty()) << "it was ended";
    if (next.empty()) continue;
    out.forced = tokenizer().decode(next, /*special=*/true);
    break;
  }
  return out;
}

TEST(ReasoningBudget, EndsReasoningAsTheFormatDoes) {
  EXPECT_EQ(said("hermes", "<think>\n", "abc", 2).forced, "\n</think>\n\n");
  EXPECT_EQ(said("hermes", "<think>\n", "abc", 2).text, "ab");
  EXPECT_EQ(said("mistral", "", "[THINK]abc", 2).forced, "[/THINK]");
  EXPECT_EQ(said("gpt-oss", "<|start|>assistant", "<|channel|>analysis<|message|>abc", 2).forced,
            "<|end|><|start|>assistant");
}

TEST(ReasoningBudget, LetsRepliesWithoutSoMuchOfItAlone) {
  EXPECT_EQ(said("hermes", "", "abcdef", 2).forced, "") << "there is none";
  EXPECT_EQ(said("hermes", "<think>\n", "abc</think>defghi", 4).forced, "") << "what follows is content";
  EXPECT_EQ(said("hermes", "<think>\n", "abc", 4).forced, "");
  EXPECT_EQ(reasoning_budget(tokenizer(), {&find_reply_format("hermes"), "<think>", -1}), nullptr) << "no limit";
}

TEST(ReasoningBudget, EndsReasoningThatBeginsThoughThereIsToBeNone) {
  EXPECT_EQ(said("hermes", "", "<think>abc", 0).forced, "\n</think>\n\n");
  EXPECT_EQ(said("hermes", "", "<think>abc", 0).text, "<think>a");
}

// Models without tokens for the markers write them in pieces.
TEST(ReasoningBudget, WaitsForAnEndThatHasBegun) {
  const auto forcer = reasoning_budget(tokenizer(), {&find_reply_format("hermes"), "<think>\n", 3})->begin();
  const auto end_after = [&](std::string_view text) {
    std::vector<TokenId> end;
    for (const char c : text) {
      EXPECT_TRUE(end.empty());
      end = forcer->after(static_cast<unsigned char>(c));
    }
    return tokenizer().decode(end, /*special=*/true);
  };
  EXPECT_EQ(end_after("ab</thi"), "");
  EXPECT_EQ(end_after("s"), "\n</think>\n\n") << "it was none";
}

TEST(ReasoningBudget, LetsRepliesAloneThatEndTheirReasoningInPieces) {
  const auto forcer = reasoning_budget(tokenizer(), {&find_reply_format("hermes"), "<think>\n", 3})->begin();
  for (const char c : std::string_view("ab</think>\n\nSo."))
    EXPECT_TRUE(forcer->after(static_cast<unsigned char>(c)).empty());
}

TEST(ReasoningBudget, CountsEachTextByItself) {
  const auto made = reasoning_budget(tokenizer(), {&find_reply_format("hermes"), "<think>\n", 2});
  const std::unique_ptr<TokenForcer> first = made->begin(), second = made->begin();
  EXPECT_TRUE(first->after('a').empty());
  EXPECT_FALSE(first->after('b').empty());
  EXPECT_TRUE(second->after('a').empty());
}

// A grammar of the reply lets the end of reasoning follow, in each format.
TEST(ReasoningBudget, EndsReasoningWithinGrammarsOfReplies) {
  Grammars grammars(&tokenizer());
  int formats = 0;
  for (const ReplyFormat* format : reply_formats()) {
    const std::span<const ReasoningMarks> marks = reasoning_marks(*format);
    if (marks.empty()) continue;
    ++formats;
    for (const bool calls : {false, true}) {
      const std::string begin = format->content.before.empty() ? std::string(marks.front().open) : "<|start|>assistant";
      GrammarParams params{.kind = GrammarParams::Kind::kJsonSchema, .text = R"({"enum": [1, 2]})"};
      params.reply = {.format = std::string(format->name), .prompt_end = begin, .reasoning = true};
      if (calls && format->triggers.empty()) continue;
      if (calls) {
        params.kind = GrammarParams::Kind::kNone;
        params.reply.tools = R"([{"name": "now"}])";
        params.reply.choice = ReplyParams::ToolChoice::kRequired;
      }
      SCOPED_TRACE(params.reply.format + (calls ? ", calls" : ", JSON"));
      const std::vector<TokenId> prompt = tokenizer().encode(begin);
      GrammarCursor grammar_cursor(grammars.compiled(params), tokenizer(), tokenizer().vocab().size(), prompt);
      const std::string open = format->content.before.empty() ? "" : "<|channel|>analysis<|message|>";
      const auto forcer = reasoning_budget(tokenizer(), {format, begin, 3})->begin();
      std::vector<TokenId> end;
      for (const TokenId token : tokenizer().encode(open + "Hm, so", {.add_special = false})) {
        grammar_cursor.accept(token);
        if (end = forcer->after(token); !end.empty()) break;
      }
      ASSERT_FALSE(end.empty());
      EXPECT_TRUE(grammar_cursor.allows(end)) << tokenizer().decode(end, true);
    }
  }
  EXPECT_GT(formats, 10);
}

}  // namespace
}  // namespace skald::reasoning_budget_test
