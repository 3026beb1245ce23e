// Requests to an engine with fixed shapes: the same tokens, text without end, and what does not go together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/requests.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

using test::SmallModel;

EngineOptions fixed(int64_t context, int64_t bits = 16) {
  return {.device = {.n_threads = 2},
          .cache = {.static_shapes = {.context = context, .bits = bits, .scales = {}}},
          .schedule = {.n_parallel = 1}};
}

Request request(int64_t n_prompt, int max_tokens, SamplingParams sampling = {.temperature = 0}) {
  return {.prompt = test::some_tokens(n_prompt, 3, 101),
          .max_tokens = max_tokens,
          .ignore_eos = true,
          .sampling = sampling,
          .on_event = {}};
}

TEST(StaticEngine, GivesTheTokensOfAModelWithSuchAWindow) {
  constexpr int64_t kContext = 80;
  const Model model(test::load({})), windowed(test::load({.window = kContext}));
  Engine fixed_shapes(model, fixed(kContext)),
      paged(windowed, {.device = {.n_threads = 2}, .cache = {.n_ctx = 1000}, .schedule = {.n_parallel = 1}});
  for (const int64_t n_prompt : {1, 30, 79, 80, 81, 300})
    for (const SamplingParams& sampling : {SamplingParams{.temperature = 0}, SamplingParams{.temperature = 1, .seed = 5}})
      EXPECT_EQ(fixed_shapes.generate(request(n_prompt, 200, sampling)).tokens,
                paged.generate(request(n_prompt, 200, sampling)).tokens)
          << "prompt " << n_prompt;
}

TEST(StaticEngine, TellsTheSameStory) {
  Engine fixed_shapes(test::story_model(), fixed(256)), paged(test::story_model(), {.device = {.n_threads = 2}});
  const Result a = fixed_shapes.generate(test::story("Once upon a time", 100)),
               b = paged.generate(test::story("Once upon a time", 100));
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.text, b.text);
}

TEST(StaticEngine, OfEightBitsBeginsTheSameStory) {
  Engine eight(test::story_model(), fixed(256, 8)), sixteen(test::story_model(), fixed(256));
  const std::vector<TokenId> a = eight.generate(test::story("Once upon a time", 40)).tokens,
                             b = sixteen.generate(test::story("Once upon a time", 40)).tokens;
  EXPECT_GE(std::ranges::mismatch(a, b).in1 - a.begin(), 10);
}

TEST(StaticEngine, GoesOnPastWhatTheModelWasMadeFor) {
  const Model model(test::load({}));
  Engine engine(model, fixed(16));
  const int n = static_cast<int>(model.n_ctx_train()) + 500;
  const int64_t bytes = engine.kv_bytes();
  EXPECT_EQ(engine.generate(request(5, n)).tokens.size(), static_cast<size_t>(n));
  EXPECT_EQ(engine.kv_bytes(), bytes);
}

TEST(StaticEngine, EndsWhereTheContextDoesIfThereIsOne) {
  const Model model(test::load({}));
  EngineOptions options = fixed(16);
  options.cache.n_ctx = 50;
  Engine engine(model, options);
  EXPECT_EQ(engine.generate(request(10, -1)).tokens.size(), 40u);
}

TEST(StaticEngine, CountsForTheLastRequest) {
  const Model model(test::load({}));
  Engine engine(model, fixed(10));
  engine.generate(request(10, 100));
  engine.generate(request(7, 13));
  const MemoryUse use = engine.memory();
  ASSERT_TRUE(use.static_use.has_value());
  EXPECT_EQ(use.static_use->tokens, 7 + 13 - 1) << "the last token is not fed back";
  EXPECT_EQ(use.static_use->copies, 2);
  EXPECT_DOUBLE_EQ(use.static_use->copied_bytes_per_token(), static_cast<double>(use.static_use->copied_bytes) / 19);
}

TEST(StaticEngine, HasNoSuchCountsWithPages) {
  Engine engine(Model(test::load({})), {.device = {.n_threads = 1}});
  EXPECT_FALSE(engine.memory().static_use.has_value());
}

TEST(StaticEngine, GoesOnAfterACancelledRequest) {
  const Model model(test::load({}));
  Engine engine(model, fixed(20));
  const Result want = engine.generate(request(5, 30));
  Submission endless = engine.submit(request(5, -1));
  engine.cancel(endless.id);
  EXPECT_EQ(test::wait_for(endless.result).finish, FinishReason::kCancelled);
  EXPECT_EQ(engine.generate(request(5, 30)).tokens, want.tokens);
}

TEST(StaticEngine, RefusesWhatDoesNotGoWithFixedShapes) {
  const auto refused = [](auto change) {
    EngineOptions options = fixed(16);
    change(options);
    const Error e = test::error_of([&] { options.check(); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    return std::string(e.what());
  };
  const std::string begin = "cache.static_shapes does not go with ";
  EXPECT_EQ(refused([](auto& o) { o.cache.sparq.ratio = 8; }), begin + "cache.sparq");
  EXPECT_EQ(refused([](auto& o) { o.schedule.context_shift = true; }), begin + "schedule.context_shift");
  EXPECT_EQ(refused([](auto& o) { o.schedule.n_parallel = 2; }), begin + "schedule.n_parallel");
  EXPECT_EQ(refused([](auto& o) { o.cache.swa_sinks = 1; }), begin + "cache.swa_sinks");
  EXPECT_EQ(refused([](auto& o) { o.cache.rollback = 1; }), begin + "cache.rollback");
  EXPECT_EQ(refused([](auto& o) { o.device.fused = false; }), begin + "device.fused = false");
  EXPECT_EQ(refused([](auto& o) { o.cache.type_k = "q8_0"; }), begin + "cache.type_k: see cache.static_shapes.bits");
  EXPECT_EQ(refused([](auto& o) { o.cache.type_v = "f32"; }), begin + "cache.type_v: see cache.static_shapes.bits");
  EXPECT_EQ(refused([](auto& o) { o.cache.layout = "dims"; }), begin + "cache.layout");
}

TEST(StaticParams, OutOfRangeAreNamed) {
  const auto refused = [](const StaticParams& params) {
    const Error e = test::error_of([&] { params.check(); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    return std::string(e.what());
  };
  for (const int64_t context : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{1} << 31})
    EXPECT_THAT(refused({.context = context, .scales = {}}), testing::StartsWith("cache.static_shapes.context: "));
  EXPECT_THAT(refused({.context = 2, .reserve = 3, .scales = {}}), testing::HasSubstr("want 2.0 or 1.5"));
  EXPECT_EQ(refused({.context = 2, .bits = 4, .scales = {}}), "cache.static_shapes.bits: 4: want 8 or 16");
  EXPECT_EQ(refused({.context = 2, .scales = {1}}),
            "cache.static_shapes.scales: only cache.static_shapes.bits 8 has scales");
  for (const float scale : {0.0f, -1.0f, HUGE_VALF, std::nanf("")})
    EXPECT_EQ(refused({.context = 2, .bits = 8, .scales = {scale}}), "cache.static_shapes.scales: want positive numbers");
}

}  // namespace
}  // namespace skald
