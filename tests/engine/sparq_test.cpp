// Sparse decoding through the engine: prompts are dense, generated tokens are not, and neither depends on the batch or
// threads.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "tests/engine/requests.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

using test::story;
using test::story_model;

using Tokens = std::vector<TokenId>;

SparqParams few_keys() { return {.k1 = 4, .k2 = 8, .local = 2, .mean = {}}; }

/// Logits of a model with random weights, decoded from `decode_from` on.
std::vector<float> logits(const SparqParams& params, int64_t decode_from, int threads = 1) {
  const auto model = test::load({});
  CpuBackend backend(threads, "");
  Runner runner(model->step_model(), backend, {.n_ctx = 128, .sparq = params});
  const std::vector<TokenId> ids = test::some_tokens(60, 1, model->n_vocab());
  return test::logits_of(runner, ids, 128, decode_from);
}

std::span<const float> rows(const std::vector<float>& all, int64_t from, int64_t to) {
  const auto n_vocab = all.size() / 60;
  return std::span(all).subspan(static_cast<size_t>(from) * n_vocab, static_cast<size_t>(to - from) * n_vocab);
}

TEST(SparqRunner, AttendsDenselyInPromptsAndSparselyInWhatFollows) {
  const std::vector<float> dense = logits({.mean = {}}, 60), sparse = logits(few_keys(), 40);
  EXPECT_TRUE(test::close_to(rows(sparse, 0, 40), rows(dense, 0, 40), 1e-5));
  for (int64_t row = 40; row < 60; ++row)
    EXPECT_FALSE(test::close_to(rows(sparse, row, row + 1), rows(dense, row, row + 1), 1e-3)) << row;
}

TEST(SparqRunner, IsDenseUpToAsManyKeysAsItKeeps) {
  SparqParams params = few_keys();
  params.k2 = 45;
  const std::vector<float> dense = logits({.mean = {}}, 30), sparse = logits(params, 30);
  EXPECT_TRUE(test::close_to(rows(sparse, 30, 45), rows(dense, 30, 45), 1e-5));
  EXPECT_FALSE(test::close_to(rows(sparse, 45, 60), rows(dense, 45, 60), 1e-5));
}

TEST(SparqRunner, GivesTheSameBitsWithAnyThreads) {
  const std::vector<float> want = logits(few_keys(), 20);
  for (const int threads : {2, 3}) EXPECT_TRUE(test::same_bits(logits(few_keys(), 20, threads), want)) << threads;
}

EngineOptions options(const SparqParams& params, int n_threads = 1, int64_t n_ubatch = 512) {
  EngineOptions o{
      .device = {.n_threads = n_threads}, .cache = {.n_ctx = 256}, .schedule = {.n_parallel = 3, .n_ubatch = n_ubatch}};
  o.cache.layout = "rows";  // as sparse decoding wants them: other layouts round otherwise
  o.cache.sparq = params;
  return o;
}

std::vector<Request> requests() {
  return {story("Once upon a time", 40), story("The big brown bear and the mouse went to the river", 30),
          story("\"Where is my red kite?\" asked Tom.", 35)};
}

std::vector<Tokens> alone(const EngineOptions& o) {
  Engine engine(story_model(), o);
  std::vector<Tokens> out;
  for (Request& r : requests()) out.push_back(engine.generate(std::move(r)).tokens);
  return out;
}

std::vector<Tokens> together(const EngineOptions& o) {
  Engine engine(story_model(), o);
  std::vector<std::future<Result>> futures;
  for (Request& r : requests()) futures.push_back(engine.submit(std::move(r)).result);
  std::vector<Tokens> out;
  for (std::future<Result>& f : futures) out.push_back(test::wait_for(f).tokens);
  return out;
}

TEST(SparqEngine, GivesTheSameTokensAloneAndTogetherWithAnyThreads) {
  const std::vector<Tokens> want = alone(options(few_keys()));
  for (const auto& [threads, ubatch] : {std::pair{1, 512}, {2, 7}, {3, 512}}) {
    EXPECT_EQ(together(options(few_keys(), threads, ubatch)), want) << threads << " threads, steps of " << ubatch;
    EXPECT_EQ(alone(options(few_keys(), threads, ubatch)), want) << threads << " threads, steps of " << ubatch;
  }
}

TEST(SparqEngine, GivesDenseTokensWhereItKeepsAllKeys) {
  const std::vector<Tokens> dense = alone(options({.mean = {}}));
  EXPECT_EQ(alone(options({.k1 = 4, .k2 = 256, .mean = {}})), dense);
  EXPECT_EQ(alone(options({.ratio = 8, .mean = {}})), dense);
  EXPECT_NE(alone(options(few_keys())), dense);
}

// Long enough that few keys are read, and that texts measure what they lose.
TEST(SparqEngine, GivesTheSameMeasuredTokensAloneTogetherAndAfterAPause) {
  const auto options_of = [](int threads, int64_t ubatch, int64_t total) {
    EngineOptions o = options({.loss = 0.0015, .mean = {}}, threads, ubatch);
    o.cache.n_ctx = 1200;
    o.cache.total_keys = total;
    return o;
  };
  const auto request = [](int i) {
    Request r = story("Once upon a time", 100);
    while (r.prompt.size() < 1050) r.prompt.push_back(r.prompt[(r.prompt.size() * static_cast<size_t>(i + 3)) % 4]);
    return r;
  };
  const auto tokens = [&](const EngineOptions& o, int n) {
    Engine engine(story_model(), o);
    std::vector<std::future<Result>> futures;
    for (int i = 0; i < n; ++i) futures.push_back(engine.submit(request(i)).result);
    std::vector<Tokens> out;
    for (std::future<Result>& f : futures) out.push_back(test::wait_for(f).tokens);
    EXPECT_GT(engine.sparq_use().measured, 0);
    EXPECT_LT(engine.sparq_use().share(), 1);
    return out;
  };
  std::vector<Tokens> want;
  for (int i = 0; i < 3; ++i) {
    Engine engine(story_model(), options_of(1, 512, 0));
    want.push_back(engine.generate(request(i)).tokens);
  }
  EXPECT_EQ(tokens(options_of(2, 512, 0), 3), want);
  EXPECT_EQ(tokens(options_of(1, 70, 0), 3), want);
  EXPECT_EQ(tokens(options_of(1, 512, 2700), 3), want) << "with texts that pause";
}

TEST(SparqEngine, DecodesOverKeysByDimensions) {
  const auto by_dims = [](EngineOptions o) {
    o.cache.layout = "dims";
    return alone(o);
  };
  EXPECT_EQ(by_dims(options({.k1 = 4, .k2 = 256, .mean = {}})), by_dims(options({.mean = {}})));
  const SparqParams without_copy{.k1 = 4, .k2 = 8, .local = 2, .mean = {}, .index = "none"};
  EXPECT_EQ(by_dims(options(without_copy)), by_dims(options(few_keys())));
  EXPECT_NE(by_dims(options(few_keys())), by_dims(options({.mean = {}})));
}

TEST(SparqEngine, RefusesParametersOutOfRange) {
  EXPECT_EQ(test::error_of([] { Engine(story_model(), options({.k1 = -1, .mean = {}})); }).code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald
