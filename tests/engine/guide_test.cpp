// Grammars in the engine: texts that must be sentences, and what is forced in them.
#include "engine/guide.h"

#include <gtest/gtest.h>

#include "engine/grammars.h"
#include "loading/loaded_model.h"
#include "tests/engine/requests.h"

namespace skald::guide_test {

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

TEST(Guide, EndsATextWhereItsGrammarDoes) {
  Engine engine(story_model(), {.device = {.n_threads = 2}});
  const Result r = engine.generate(told(GrammarParams::Kind::kRegex, "[a-z]{3}(, [a-z]{3}){2}\\."));
  EXPECT_EQ(r.finish, FinishReason::kEnd);
  EXPECT_EQ(r.end_token, -1);
  ASSERT_EQ(r.text.size(), 14u) << r.text;
  EXPECT_EQ(r.text.back(), '.');
}

TEST(Guide, SaysTheSameWithForcedTokensInOneStepAndOneByOne) {
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

TEST(Guide, KnowsMostTokensOfATextThatMustFollow) {
  const Tokenizer& tokenizer = story_model().loaded()->tokenizer();
  Grammars grammars(&tokenizer);
  const std::string must = "the cat sat on the mat, and the dog sat on the cat";
  Guide guide(grammars.compiled({.kind = GrammarParams::Kind::kRegex, .text = must}), tokenizer, story_model().n_vocab(),
              story_model().tokenize("Once upon a time"));
  std::string text;
  int forced = 0, chosen = 0;
  while (!guide.is_over()) {
    std::optional<TokenId> next = guide.forced();
    ++(next ? forced : chosen);
    const std::span<const uint32_t> allowed = guide.allowed(/*no_end=*/true);
    for (TokenId id = 0; !next; ++id)
      if (allowed[static_cast<size_t>(id) / 32] >> id % 32 & 1) next = id;
    EXPECT_TRUE(allowed[static_cast<size_t>(*next) / 32] >> *next % 32 & 1) << "what is forced is allowed";
    text += tokenizer.text_of(*next, /*special=*/false);
    guide.accept(*next);
  }
  EXPECT_EQ(text, must);
  EXPECT_GT(forced, chosen);
}

TEST(Guide, RefusesGrammarsByName) {
  Engine engine(story_model(), {.device = {.n_threads = 2}});
  try {
    engine.submit(told(GrammarParams::Kind::kRegex, "(?=a)b"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("look"), std::string::npos) << e.what();
  }
}

}  // namespace skald::guide_test
