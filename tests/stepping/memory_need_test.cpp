// What a model will take is told beforehand, and a context is found for the memory that there is.
#include "stepping/memory_need.h"

#include <gtest/gtest.h>

#include "backend/backend.h"
#include "skald/engine.h"
#include "tests/models/golden.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/paths.h"

namespace skald::memory_need_test {
namespace {

EngineOptions with_context(int64_t n_ctx) { return {.cache = {.n_ctx = n_ctx}, .schedule = {.n_parallel = 1}}; }

// Two layers of two KV heads, keys of 32 and values of 64 numbers, of f16.
constexpr int64_t kTokenBytes = 2 * 2 * (32 + 64) * 2, kPage = 64;

TEST(MemoryNeed, OfACacheIsThatOfItsPages) {
  const auto model = test::load({});
  EXPECT_EQ(memory_need(*model, with_context(1024)).cache, (1024 / kPage + 2) * kPage * kTokenBytes);
  EngineOptions many = with_context(1024);
  many.schedule.n_parallel = 3;
  EXPECT_EQ(memory_need(*model, many).cache, 3 * memory_need(*model, with_context(1024)).cache);
  EngineOptions blocks = with_context(1024);
  blocks.cache.type_k = "q8_0";
  const int64_t in_rows = memory_need(*model, blocks).cache;
  blocks.cache.layout = "planes";
  EXPECT_EQ(memory_need(*model, blocks).cache, in_rows) << "which only a device reads";
  const auto windowed = test::load({.window = 128});
  EXPECT_LT(memory_need(*windowed, with_context(8192)).cache, memory_need(*model, with_context(8192)).cache / 4);
}

TEST(MemoryNeed, IsWhatAnEngineHoldsInTheEnd) {
  const Model model(test::load({}));
  const EngineOptions options = with_context(1000);
  Engine engine(model, options);
  engine.generate(
      {.prompt = test::some_tokens(900, 1, 101), .max_tokens = 100, .ignore_eos = true, .sampling = {}, .on_event = {}});
  const MemoryNeed need = memory_need(*model.loaded(), options);
  EXPECT_LE(engine.kv_bytes(), need.cache);
  EXPECT_GE(engine.kv_bytes(), need.cache * 8 / 10);
  EXPECT_EQ(need.weights, 0);  // they are in memory of the test
  EXPECT_GT(need.work, 0);
}

TEST(MemoryNeed, CountsALayerThatPredictsFurtherTokensWhereItGuesses) {
  const auto model = test::Golden(test::data_dir() / "golden/qwen35_mtp").load();
  EngineOptions options = with_context(256);
  const MemoryNeed without = memory_need(*model, options);
  options.draft.kind = "mtp";
  const MemoryNeed with = memory_need(*model, options);
  EXPECT_EQ(with.weights - without.weights, model->bytes_ahead());
  EXPECT_GT(model->bytes_ahead(), 0);
  // Of five layers two attend: one of the model, and that one.
  EXPECT_EQ(with.cache - without.cache, (256 / kPage + 2) * kPage * (16 + 16) * 2);
}

TEST(MemoryNeed, WithFixedShapesIsThatOfTheWindow) {
  EngineOptions options = with_context(0);
  options.cache.static_shapes = {.context = 129, .reserve = 2, .bits = 16, .scales = {}};
  EXPECT_EQ(memory_need(*test::load({}), options).cache, 2 * 128 * kTokenBytes);
}

TEST(FittingContext, IsWhatWasWantedWhereThatFits) {
  const auto model = test::load({});
  const MemoryNeed need = memory_need(*model, with_context(8192));
  EXPECT_EQ(fitting_context(*model, with_context(8192), need.all()).n_ctx, 8192);
  EXPECT_LT(fitting_context(*model, with_context(8192), need.all() - 1).n_ctx, 8192);
}

TEST(FittingContext, IsTheLongestThatFits) {
  const auto model = test::load({});
  const int64_t work = memory_need(*model, with_context(100000)).work, memory = work + 5000 * kTokenBytes;
  const FittingContext fit = fitting_context(*model, with_context(100000), memory);
  EXPECT_EQ(fit.n_ctx % 256, 0);
  EXPECT_FALSE(fit.streams);
  const int64_t room = memory - memory / 16 - work;  // a part is left to others
  EXPECT_LE(memory_need(*model, with_context(fit.n_ctx)).cache, room);
  EXPECT_GT(memory_need(*model, with_context(fit.n_ctx + 256)).cache, room);
}

TEST(FittingContext, IsNoneWhereNotEvenAShortOneFits) {
  const auto model = test::load({});
  EXPECT_EQ(fitting_context(*model, with_context(8192), 1000).n_ctx, 0);
  EXPECT_EQ(fitting_context(*model, with_context(100), 1000).n_ctx, 0);
}

TEST(FittingContext, LeavesWeightsInTheirFileThatDoNotFit) {
  const auto model = LoadedModel::from_gguf(
      Gguf::open((test::data_dir() / "golden/llama_mha_q8_0/model.gguf").string(), FileBytes::How::kMap), "golden");
  const EngineOptions options = with_context(2048);
  const MemoryNeed need = memory_need(*model, options);
  ASSERT_LT(need.weights, model->weight_bytes());  // of the embeddings a token reads a row
  ASSERT_GT(need.weights, model->weight_bytes() / 2);
  EXPECT_FALSE(fitting_context(*model, options, need.all()).streams);
  const FittingContext short_of_cache = fitting_context(*model, options, need.weights + need.work + need.cache / 2);
  EXPECT_FALSE(short_of_cache.streams);
  EXPECT_LT(short_of_cache.n_ctx, 2048);
  const EngineOptions small = with_context(512);
  const FittingContext short_of_weights = fitting_context(*model, small, memory_need(*model, small).all() - 1);
  EXPECT_TRUE(short_of_weights.streams);
  EXPECT_EQ(short_of_weights.n_ctx, 512);
  const FittingContext short_of_all = fitting_context(*model, small, 1000);
  EXPECT_FALSE(short_of_all.streams);
  EXPECT_EQ(short_of_all.n_ctx, 0);
  const auto read = LoadedModel::from_gguf(
      Gguf::open((test::data_dir() / "golden/llama_mha_q8_0/model.gguf").string(), FileBytes::How::kRead), "golden");
  EXPECT_EQ(memory_need(*read, options).weights, 0);  // they are in the memory already
}

}  // namespace
}  // namespace skald::memory_need_test
