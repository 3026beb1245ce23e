// Guesses by a smaller model.
#include <gtest/gtest.h>

#include "tests/engine/drafts/kinds/same_text.h"
#include "tests/support/errors.h"

namespace skald::model_drafts_test {
namespace {

EngineOptions usual(int64_t n_ctx = 512) {
  return {.device = {.n_threads = 2}, .cache = {.n_ctx = n_ctx}, .schedule = {.n_parallel = 3}};
}

TEST(ModelDrafts, OfTheModelItselfAreNearlyAllRight) {
  for (const char* name : {"llama_gqa", "gemma3", "qwen35", "lfm2", "deepseek3"}) {
    SCOPED_TRACE(name);
    const std::string file = test::golden_file(name);
    const DraftUse t =
        test::expect_same_texts(Model::load(file), usual(), {.kind = "draft", .most = 5, .p_min = 0, .model = file});
    EXPECT_GT(t.guessed, 100);
    EXPECT_GE(t.right, t.guessed * 8 / 10);
  }
}

TEST(ModelDrafts, OfAnotherModelChangeNoText) {
  const DraftUse t =
      test::expect_same_texts(Model::load(test::golden_file("llama_mha")), usual(),
                              {.kind = "draft", .most = 4, .p_min = 0, .model = test::golden_file("mistral")});
  EXPECT_GT(t.guessed, 20);
  EXPECT_LT(t.right, t.guessed / 2);
}

TEST(ModelDrafts, EndWhereTheModelIsUnsureAndAreLeftOutWhereTheyAreFew) {
  const std::string file = test::golden_file("llama_gqa");
  const Model model = Model::load(file);
  const auto drafted = [&](float p_min, int64_t least) {
    return test::expect_same_texts(model, usual(),
                                   {.kind = "draft", .most = 5, .least = least, .p_min = p_min, .model = file})
        .guessed;
  };
  const int64_t all = drafted(0, 0), sure = drafted(0.5f, 0), many = drafted(0.5f, 3);
  EXPECT_LT(sure, all);
  EXPECT_LT(many, sure);
}

// A prompt that is longer than a step is read in pieces, and no guess is made before.
TEST(ModelDrafts, ReadLongPromptsInSteps) {
  const std::string file = test::golden_file("llama_gqa");
  EngineOptions o = usual();
  o.schedule.n_batch = o.schedule.n_ubatch = 64;
  EXPECT_GT(test::expect_same_texts(Model::load(file), o, {.kind = "draft", .most = 5, .p_min = 0, .model = file}).guessed,
            50);
}

// The smaller model reads a prompt beside the steps that read it, not after them.
TEST(ModelDrafts, BeginWithTheSecondTokenOfALongPromptsText) {
  const std::string file = test::golden_file("llama_gqa");
  for (const char* kind : {"draft", "auto"}) {
    EngineOptions o = usual();
    o.schedule.n_batch = o.schedule.n_ubatch = 64;
    o.draft = {.kind = kind, .p_min = 0, .model = file};
    Engine engine(Model::load(file), o);
    const Result got = engine.generate(test::request_of(test::ids_of(300, 299), 7, {.temperature = 0}));
    EXPECT_GE(got.timing.drafts.guessed, kind == std::string("draft") ? 4 : 0);
    EXPECT_EQ(got.timing.drafts.guessed, got.timing.drafts.right);
  }
}

// The second text begins as the first one does, and goes on otherwise.
TEST(ModelDrafts, OfTextsThatBeginAlikeAreThoseOfEach) {
  const std::string file = test::golden_file("llama_gqa");
  const Model model = Model::load(file);
  EngineOptions o = usual();
  Engine plain(model, o);
  o.draft = {.kind = "draft", .p_min = 0, .model = file};
  Engine guessing(model, o);
  std::vector<TokenId> prompt = test::ids_of(150, 13);
  for (int turn = 0; turn < 3; ++turn) {
    const Request request = test::request_of(prompt, 30, {.temperature = 0});
    const Result want = plain.generate(request), got = guessing.generate(request);
    EXPECT_EQ(got.tokens, want.tokens) << turn;
    EXPECT_GE(got.timing.drafts.right, got.timing.drafts.guessed * 8 / 10);
    prompt.insert(prompt.end(), want.tokens.begin(), want.tokens.end() - 3);
    prompt.push_back(5 + turn);
  }
}

TEST(ModelDrafts, OfAnotherVocabularyAreRefused) {
  EngineOptions o = usual();
  o.draft = {.kind = "draft", .model = test::golden_file("gemma3")};
  const std::string why = test::error_of([&] { Engine(Model::load(test::golden_file("llama_gqa")), o); }).what();
  EXPECT_NE(why.find("draft.model: its vocabulary"), std::string::npos) << why;
  o.draft.model.clear();
  EXPECT_EQ(std::string(test::error_of([&] { o.check(); }).what()), "draft.model: want a model for draft.kind draft");
}

}  // namespace
}  // namespace skald::model_drafts_test
