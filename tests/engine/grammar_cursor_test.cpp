// Grammars in the engine: texts that must be sentences, and what is forced in them.
#include "engine/grammar_cursor.h"

#include <gtest/gtest.h>

#include "engine/branch.h"
#include "engine/grammars.h"
#include "loading/loaded_model.h"
#include "tests/engine/fake_stepper.h"
#include "tests/engine/requests.h"
#include "tests/text/tiny_vocab.h"

namespace skald::grammar_cursor_test {

using test::story_model;

constexpr const char* kSchema =
    R"({"type": "object", "properties": {"the name of the cat": {"enum": ["Tom", "Mia"]}, "how old it is": {"type": "integer",
        "minimum": 1, "maximum": 20}}, "required": ["the name of the cat", "how old it is"], "additionalProperties": false})";

static Request told(GrammarParams::Kind kind, std::string text) {
  Request r = test::story("Once upon a time", 200);
  r.ignore_eos = false;
  r.sampling = {.seed = 3};
  r.grammar = {.kind = kind, .text = std::move(text)};
  return r;
}

TEST(GrammarCursor, EndsATextWhereItsGrammarDoes) {
  Engine engine(story_model(), {.device = {.n_threads = 2}});
  const Result r = engine.generate(told(GrammarParams::Kind::kRegex, "[a-z]{3}(, [a-z]{3}){2}\\."));
  EXPECT_EQ(r.finish, FinishReason::kEnd);
  EXPECT_EQ(r.end_token, -1);
  ASSERT_EQ(r.text.size(), 14u) << r.text;
  EXPECT_EQ(r.text.back(), '.');
}

TEST(GrammarCursor, SaysTheSameWithForcedTokensInOneStepAndOneByOne) {
  Engine engine(story_model(), {.device = {.n_threads = 2}});
  Request r = told(GrammarParams::Kind::kJsonSchema, kSchema);
  const Result at_once = engine.generate(r);
  EXPECT_TRUE(at_once.text.starts_with("{\"the name of the cat\": \"")) << at_once.text;
  EXPECT_TRUE(at_once.text.ends_with('}')) << at_once.text;
  r.log_prob = true;  // each row is looked at
  const Result one_by_one = engine.generate(r);
  EXPECT_EQ(at_once.tokens, one_by_one.tokens);
  EXPECT_EQ(one_by_one.log_probs.size(), one_by_one.tokens.size());
}

TEST(GrammarCursor, KnowsMostTokensOfATextThatMustFollow) {
  const Tokenizer& tokenizer = story_model().loaded()->tokenizer();
  Grammars grammars(&tokenizer);
  const std::string must = "the cat sat on the mat, and the dog sat on the cat";
  GrammarCursor grammar(grammars.compiled({.kind = GrammarParams::Kind::kRegex, .text = must}), tokenizer,
                        story_model().n_vocab(), story_model().tokenize("Once upon a time"));
  std::string text;
  int forced = 0, chosen = 0;
  while (!grammar.is_over()) {
    std::optional<TokenId> next = grammar.forced();
    ++(next ? forced : chosen);
    const std::span<const uint32_t> allowed = grammar.allowed(/*no_end=*/true);
    for (TokenId id = 0; !next; ++id)
      if (allowed[static_cast<size_t>(id) / 32] >> id % 32 & 1) next = id;
    EXPECT_TRUE(allowed[static_cast<size_t>(*next) / 32] >> *next % 32 & 1) << "what is forced is allowed";
    text += tokenizer.text_of(*next, /*special=*/false);
    grammar.accept(*next);
  }
  EXPECT_EQ(text, must);
  EXPECT_GT(forced, chosen);
}

/// A vocabulary with control tokens, one of which ends the text.
static std::unique_ptr<Tokenizer> with_markers() {
  return Tokenizer::create(test::bpe_meta("gpt-2", {},
                                          {{"<tool_call>", PieceKind::kControl},
                                           {"</tool_call>", PieceKind::kControl},
                                           {"</think>", PieceKind::kControl},
                                           {"<|im_end|>", PieceKind::kControl},
                                           {"<pad>", PieceKind::kControl}}));
}

static bool has(std::span<const uint32_t> mask, TokenId id) { return mask[static_cast<size_t>(id) / 32] >> id % 32 & 1; }

TEST(GrammarCursor, GoesAcrossControlTokens) {
  const std::unique_ptr<Tokenizer> tokenizer = with_markers();
  const TokenId open = 256, close = 257, thought = 258, end = 259, pad = 260;
  Grammars grammars(tokenizer.get());
  const GrammarParams params{
      .reply = {.format = "hermes",
                .prompt_end = "<think>\n",
                .tools = R"([{"name": "now"}, {"name": "say", "parameters": {"properties": {"a": {"type": "string"}}}}])",
                .choice = ReplyParams::ToolChoice::kRequired,
                .parallel = false}};
  GrammarCursor grammar(grammars.compiled(params), *tokenizer, 261, tokenizer->encode("<think>\n"));
  const auto say = [&](std::string_view text) {
    for (const TokenId id : tokenizer->encode(text, {.add_special = false, .parse_special = false})) grammar.accept(id);
  };
  say("Hm");
  EXPECT_TRUE(has(grammar.allowed(false), thought));
  EXPECT_TRUE(has(grammar.allowed(false), pad)) << "thinking is free";
  EXPECT_FALSE(has(grammar.allowed(false), end)) << "a call must come";
  grammar.accept(thought);
  EXPECT_TRUE(has(grammar.allowed(false), open));
  EXPECT_FALSE(has(grammar.allowed(false), '<')) << "there is a token for it";
  EXPECT_FALSE(has(grammar.allowed(false), pad));
  grammar.accept(open);
  std::string forced;
  for (std::optional<TokenId> next = grammar.forced(); next; next = grammar.forced()) {
    forced += tokenizer->text_of(*next, false);
    grammar.accept(*next);
  }
  EXPECT_EQ(forced, "\n{\"name\": ") << "less the last token";
  say("\"say\", \"arguments\": {\"a\": \"x");
  for (const TokenId id : {open, close, thought, end, pad}) EXPECT_FALSE(has(grammar.allowed(false), id)) << id;
  say("\"}");
  std::vector<TokenId> rest;
  for (std::optional<TokenId> next = grammar.forced(); next; next = grammar.forced()) {
    rest.push_back(*next);
    grammar.accept(*next);
  }
  EXPECT_EQ(tokenizer->decode(rest, true), "}\n</tool_call>");
  EXPECT_EQ(rest.back(), close) << "nothing can change a control token";
  EXPECT_TRUE(grammar.is_over());
}

// A token says itself whether it ends the text: those that are forced after it were taken with it.
TEST(GrammarCursor, EndsATextWithTheLastOfTheTokensThatAreForced) {
  const std::unique_ptr<Tokenizer> tokenizer = with_markers();
  const int64_t n_vocab = 261;
  Grammars grammars(tokenizer.get());
  const GrammarParams params{
      .reply = {.format = "hermes",
                .tools = R"([{"name": "say", "parameters": {"properties": {"a": {"type": "string"}}}}])",
                .choice = ReplyParams::ToolChoice::kRequired,
                .parallel = false}};
  GrammarCursor grammar(grammars.compiled(params), *tokenizer, n_vocab, {});
  const auto ids_of = [&](std::string_view text, bool special) {
    return tokenizer->encode(text, {.add_special = false, .parse_special = special});
  };
  for (const TokenId id : ids_of("<tool_call>\n{\"name\": \"say\", \"arguments\": {\"a\": \"x\"", true)) grammar.accept(id);
  test::FakeStepper stepper({.max_keys = 100});
  Request request{.prompt = {1}, .max_tokens = 50, .sampling = {.temperature = 0}, .on_event = {}};
  Branch branch({stepper.new_sequence(), 0}, request, tokenizer.get(), grammar);
  std::vector<float> row(static_cast<size_t>(n_vocab));
  row[static_cast<size_t>(ids_of("}", false)[0])] = 9;
  const std::vector<Branch::Picked> picked =
      branch.pick({{reinterpret_cast<std::byte*>(row.data()), {&format_f32, {1, n_vocab}}}, host_memory()}, 0);
  std::vector<TokenId> tokens;
  for (const Branch::Picked& p : picked) {
    tokens.push_back(p.token);
    EXPECT_EQ(p.ends, &p == &picked.back());
  }
  EXPECT_EQ(tokenizer->decode(tokens, true), "}}\n</tool_call>");
}

TEST(GrammarCursor, RefusesGrammarsByName) {
  Engine engine(story_model(), {.device = {.n_threads = 2}});
  try {
    engine.submit(told(GrammarParams::Kind::kRegex, "(?=a)b"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("look"), std::string::npos) << e.what();
  }
}

}  // namespace skald::grammar_cursor_test
