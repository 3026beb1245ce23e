// Adapters of requests: what they say alone and beside others, and whose pages they take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "skald/lora.h"
#include "tests/engine/requests.h"
#include "tests/support/errors.h"
#include "tests/support/random_adapter.h"
#include "tests/support/temp_dir.h"

namespace skald::adapters_test {
namespace {

using test::story;
using test::story_model;
using testing::HasSubstr;

using Uses = std::vector<LoraUse>;

class Adapters : public testing::Test {
 protected:
  // Acts after `invocation`; empty: on all tokens.
  Lora adapter(const char* name, uint64_t seed, std::vector<TokenId> invocation = {}) const {
    Adapter made = test::random_adapter(*story_model().loaded(), invocation.empty() ? 0.02f : 0.1f, seed);
    made.invocation = std::move(invocation);
    write_gguf_adapter(made, dir_.path(name));
    return Lora::load(story_model(), dir_.path(name));
  }
  static EngineOptions options() {
    return {.device = {.n_threads = 2}, .cache = {.n_ctx = 400, .share_prefixes = true}, .schedule = {.n_parallel = 8}};
  }
  static Request asks(std::optional<Uses> loras, std::string_view prompt = "Once upon a time there was", int n = 12) {
    Request out = story(prompt, n);
    out.loras = std::move(loras);
    out.reuse_generated = false;
    return out;
  }
  // More than two pages.
  static std::string long_prompt() {
    std::string out;
    for (int i = 0; i < 30; ++i) out += "The small dog ran to the big tree. ";
    return out;
  }

  test::TempDir dir_;
  Lora a_ = adapter("a.gguf", 1), b_ = adapter("b.gguf", 100);
};

TEST_F(Adapters, ChangeTextsByTheirScales) {
  Engine engine(story_model(), options());
  const Result plain = engine.generate(asks(Uses{}));
  EXPECT_EQ(engine.generate(asks({})).tokens, plain.tokens);
  EXPECT_EQ(engine.generate(asks(Uses{{a_, 0}})).tokens, plain.tokens);
  EXPECT_NE(engine.generate(asks(Uses{{a_, 1}})).tokens, plain.tokens);
  EXPECT_NE(engine.generate(asks(Uses{{b_, 1}})).tokens, engine.generate(asks(Uses{{a_, 1}})).tokens);
}

TEST_F(Adapters, GiveTextsInOneBatchAsAlone) {
  const std::vector<Uses> all = {{}, {{a_, 1}}, {{a_, 0.5f}}, {{b_, 1}}, {{a_, 1}, {b_, -0.75f}}};
  Engine engine(story_model(), options());
  std::vector<Result> alone;
  for (const Uses& uses : all) alone.push_back(engine.generate(asks(uses)));
  std::vector<Submission> together;
  for (int i = 0; i < 3; ++i)
    for (const Uses& uses : all) together.push_back(engine.submit(asks(uses)));
  for (size_t i = 0; i < together.size(); ++i) EXPECT_EQ(together[i].result.get().tokens, alone[i % all.size()].tokens) << i;
}

TEST_F(Adapters, OfTheEngineAreThoseOfRequestsThatNameNone) {
  EngineOptions o = options();
  o.loras = {{a_.path(), 0.5f}};
  Engine engine(story_model(), o), plain(story_model(), options());
  EXPECT_EQ(engine.generate(asks({})).tokens, plain.generate(asks(Uses{{a_, 0.5f}})).tokens);
  EXPECT_EQ(engine.generate(asks(Uses{})).tokens, plain.generate(asks({})).tokens);
}

TEST_F(Adapters, FindPagesOfTheSameAdaptersAlone) {
  Engine engine(story_model(), options());
  const auto cached = [&](Uses uses) { return engine.generate(asks(std::move(uses), long_prompt())).timing.n_cached; };
  EXPECT_EQ(cached({{a_, 1}}), 0);
  EXPECT_GT(cached({{a_, 1}}), 0);
  EXPECT_EQ(cached({}), 0) << "the model's own";
  EXPECT_GT(cached({}), 0);
  EXPECT_EQ(cached({{a_, 0.5f}}), 0) << "another scale";
  EXPECT_EQ(cached({{b_, 1}}), 0) << "another adapter";
  EXPECT_EQ(cached({{a_, 1}, {b_, 1}}), 0) << "one more";
  EXPECT_GT(cached({{adapter("copy.gguf", 1), 1}}), 0) << "a copy of the file";
}

TEST_F(Adapters, FindPagesOnDiskOfTheSameAdaptersAlone) {
  EngineOptions o = options();
  o.prefix_store = std::make_shared<PrefixStore>(dir_.path("pages"), int64_t{1} << 30);
  const Result cold = Engine(story_model(), o).generate(asks(Uses{{a_, 1}}, long_prompt()));
  Engine again(story_model(), o);
  EXPECT_EQ(again.generate(asks(Uses{}, long_prompt())).timing.n_cached, 0);
  EXPECT_EQ(again.generate(asks(Uses{{a_, 0.25f}}, long_prompt())).timing.n_cached, 0);
  const Result hit = again.generate(asks(Uses{{a_, 1}}, long_prompt()));
  EXPECT_GT(hit.timing.n_cached, 0);
  EXPECT_EQ(hit.tokens, cold.tokens);
}

TEST_F(Adapters, OfAnotherTurnMakeAConversationBeginAnew) {
  Engine engine(story_model(), options());
  const auto turn = [&](Uses uses, bool conversation) {
    Request r = asks(std::move(uses), long_prompt());
    r.conversation = conversation ? 5 : 0;
    r.cache_prompt = conversation;
    return engine.generate(std::move(r));
  };
  turn({{a_, 1}}, true);
  const Result other = turn({}, true);
  EXPECT_EQ(other.timing.n_cached, 0);
  EXPECT_EQ(other.tokens, turn({}, false).tokens);
  EXPECT_GT(turn({}, true).timing.n_cached, 0);
}

TEST_F(Adapters, WithAnInvocationActAfterItsLastPlace) {
  const std::vector<TokenId> tree = story_model().tokenize(" tree.", {.add_special = false});
  const Lora invoked = adapter("invoked.gguf", 1, tree);
  Engine engine(story_model(), options());
  const Result plain = engine.generate(asks(Uses{}, long_prompt()));
  const Result first = engine.generate(asks(Uses{{invoked, 1}}, long_prompt()));
  EXPECT_GT(first.timing.n_cached, 0) << "pages before it are the model's own";
  EXPECT_NE(first.tokens, plain.tokens);
  EXPECT_EQ(engine.generate(asks(Uses{}, long_prompt())).tokens, plain.tokens);
  EXPECT_EQ(Engine(story_model(), options()).generate(asks(Uses{{invoked, 1}}, long_prompt())).tokens, first.tokens);
  EXPECT_EQ(engine.generate(asks(Uses{{invoked, 1}})).tokens, engine.generate(asks(Uses{})).tokens) << "not invoked";
}

TEST_F(Adapters, LeaveTextsAsTheyAreWhereTokensAreGuessed) {
  Engine plain(story_model(), options());
  const Request asked = asks(Uses{{a_, 1}}, long_prompt(), 40);
  const Result want = plain.generate(asked);
  for (const char* kind : {"ngram", "sparq"}) {
    EngineOptions o = options();
    o.draft.kind = kind;
    EXPECT_EQ(Engine(story_model(), o).generate(asked).tokens, want.tokens) << kind;
  }
}

TEST_F(Adapters, GoWithFixedShapes) {
  EngineOptions o = options();
  o.cache = {};
  o.cache.static_shapes.context = 256;
  o.schedule.n_parallel = 1;
  Engine engine(story_model(), o);
  const Result plain = engine.generate(asks(Uses{}));
  const Result adapted = engine.generate(asks(Uses{{a_, 1}}));
  EXPECT_NE(adapted.tokens, plain.tokens);
  EXPECT_EQ(adapted.tokens, Engine(story_model(), options()).generate(asks(Uses{{a_, 1}})).tokens);
}

TEST_F(Adapters, ThatDoNotFitAreRefused) {
  Engine engine(story_model(), options());
  const auto error = [&](Uses uses) {
    return std::string(test::error_of([&] { engine.submit(asks(std::move(uses))); }).what());
  };
  EXPECT_THAT(error({{a_, std::numeric_limits<float>::infinity()}}), HasSubstr("not finite"));
  EXPECT_THAT(error({{Lora::load(Model::embedded(), a_.path()), 1}}), HasSubstr("another model"));
}

}  // namespace
}  // namespace skald::adapters_test
