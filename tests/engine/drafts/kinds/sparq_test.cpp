// Guesses by the model itself, which reads few keys for them.
#include <gtest/gtest.h>

#include "tests/engine/drafts/kinds/same_text.h"
#include "tests/support/errors.h"

namespace skald::sparq_drafts_test {
namespace {

// Sparse decoding reads single keys, which lie in rows.
EngineOptions in_rows(int64_t parallel = 3) {
  return {.device = {.n_threads = 2}, .cache = {.n_ctx = 1280, .layout = "rows"}, .schedule = {.n_parallel = parallel}};
}

TEST(SparqDrafts, GiveTheTextsOfDenseDecoding) {
  for (const char* name : {"llama_gqa", "gemma3", "qwen35", "lfm2", "deepseek3", "qwen3moe"}) {
    SCOPED_TRACE(name);
    const Model model = Model::load(test::golden_file(name));
    for (const char* kind : {"sparq:3", "sparq:2"}) {
      const DraftUse t = test::expect_same_texts(model, in_rows(), {.kind = kind, .most = 5}, 1000);
      EXPECT_GT(t.guessed, 20) << kind;
      EXPECT_GT(t.right, t.guessed / 10) << kind;
    }
  }
}

TEST(SparqDrafts, GiveTheSameTextsOfSeveralChoicesAndGrammars) {
  const Model model = Model::load(test::golden_file("llama_gqa"));
  EngineOptions with = in_rows();
  with.draft = {.kind = "sparq:2", .most = 4};
  Engine plain(model, in_rows()), guessing(model, with);
  Request r = test::request_of(test::ids_of(1000, 20), 30, {.temperature = 1, .seed = 3});
  r.n = 3;
  const Result want = plain.generate(r), got = guessing.generate(r);
  EXPECT_EQ(got.tokens, want.tokens);
  ASSERT_EQ(got.others.size(), 2u);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(got.others[i].tokens, want.others[i].tokens);
}

TEST(SparqDrafts, AreNoneWhereAllKeysAreRead) {
  const Model model = Model::load(test::golden_file("llama_gqa"));
  EngineOptions o = in_rows();
  o.draft = {.kind = "sparq:2"};
  Engine engine(model, o);
  EXPECT_EQ(engine.generate(test::request_of({3, 4, 5}, 8, {.temperature = 0})).timing.drafts.guessed, 0);
}

TEST(SparqDrafts, SayWhatTheyDoNotGoWith) {
  const auto why = [](EngineOptions o, const std::string& kind) {
    o.draft.kind = kind;
    return std::string(test::error_of([&] { o.check(); }).what());
  };
  EngineOptions sparse;
  sparse.cache.sparq.ratio = 8;
  EXPECT_EQ(why(sparse, "sparq"), "draft.kind: sparq does not go with cache.sparq");
  EngineOptions unfused;
  unfused.device.fused = false;
  EXPECT_EQ(why(unfused, "sparq:4"), "draft.kind: sparq:4 does not go with device.fused = false");
  for (const char* kind : {"sparq:", "sparq:1", "sparq:x", "sparq:4x", "sparq:nan", "sparq:1e9"})
    EXPECT_EQ(why({}, kind), std::string("draft.kind: want sparq:RATIO with a ratio above 1, got '") + kind + "'");
  EXPECT_EQ(why({}, "ngram:3"), "draft.kind: 'ngram' takes nothing after a colon");
}

}  // namespace
}  // namespace skald::sparq_drafts_test
