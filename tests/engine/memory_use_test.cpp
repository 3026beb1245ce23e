// What an engine says that it holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skald/engine.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

using test::SmallModel;

Request prompt_of(int64_t n) {
  return {.prompt = test::some_tokens(n, 1, 101), .max_tokens = 1, .sampling = {.temperature = 0}, .on_event = {}};
}

// Two layers of two KV heads, keys of 32 and values of 64.
TEST(MemoryUse, CountsThePagesOfKeysAndValues) {
  const Model model(test::load({}));
  Engine engine(model,
                {.device = {.n_threads = 1}, .cache = {.n_ctx = 256, .type_k = "f32", .type_v = "q8_0", .rotate = false}});
  EXPECT_EQ(engine.memory().keys() + engine.memory().values(), 0);
  engine.generate(prompt_of(100));
  const MemoryUse use = engine.memory();
  ASSERT_EQ(use.kv.size(), 1u);
  EXPECT_EQ(use.kv[0].layers, 2);
  EXPECT_EQ(use.kv[0].window, 0);
  EXPECT_EQ(use.kv[0].pages, 2);
  EXPECT_EQ(use.keys(), 2 * 64 * 2 * 2 * 32 * 4);
  EXPECT_EQ(use.values(), 2 * 64 * 2 * 2 * (64 / 32 * 34));
  EXPECT_EQ(use.keys() + use.values(), engine.kv_bytes());
  EXPECT_EQ(use.work, engine.work_bytes());
  EXPECT_EQ(use.kv_storage, "keys f32 by dims, values q8_0");
}

// 101 rows of 96 floats, in panels of whole 16 rows.
TEST(MemoryUse, CountsATiedEmbeddingInBothForms) {
  const auto weights = [](bool tied) {
    const Model model(test::load({.tied = tied}));
    return Engine(model, {.device = {.n_threads = 1}, .cache = {.n_ctx = 64}}).memory().weights;
  };
  EXPECT_EQ(weights(true), weights(false));
  const Model untied(test::load({}));
  EXPECT_GE(weights(false), untied.loaded()->weight_bytes());
  EXPECT_LE(weights(false), untied.loaded()->weight_bytes() * 21 / 20);
}

TEST(MemoryUse, NamesTheWindowOfAGroup) {
  const Model model(test::load({.window = 20}));
  Engine engine(model, {.device = {.n_threads = 1},
                        .cache = {.n_ctx = 1000, .type_k = "q4_0", .layout = "rows"},
                        .schedule = {.n_ubatch = 64}});
  engine.generate(prompt_of(900));
  const MemoryUse use = engine.memory();
  ASSERT_EQ(use.kv.size(), 1u);
  EXPECT_EQ(use.kv[0].window, 20);
  EXPECT_LE(use.kv[0].pages, 3);
  EXPECT_EQ(use.kv_storage, "keys q4_0 by rows rotated, values f16");
}

TEST(MemoryUse, OfAnUnknownLayoutIsNone) {
  const Error e = test::error_of([] { EngineOptions{.cache = {.layout = "diagonal"}}.check(); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_STREQ(e.what(), "cache.layout: unknown layout 'diagonal'; known: auto, dims, planes, rows");
}

// Of as many bytes as rows.
TEST(MemoryUse, OfADeviceHoldsBlocksInPlanes) {
  const auto use_of = [&](const char* device, const char* layout) {
    const Model model(test::load({}));
    Engine engine(model, {.device = {.device = device, .n_threads = 1},
                          .cache = {.n_ctx = 256, .type_k = "q8_0", .type_v = "q4_0", .layout = layout}});
    engine.generate(prompt_of(100));
    return engine.memory();
  };
  const MemoryUse cpu = use_of("cpu", "auto"), simt = use_of("simt", "auto");
  EXPECT_EQ(simt.kv_storage, "keys q8_0 by planes rotated, values q4_0 by planes rotated");
  EXPECT_EQ(use_of("simt", "planes").kv_storage, simt.kv_storage);
  EXPECT_EQ(simt.keys(), cpu.keys());
  EXPECT_EQ(simt.values(), cpu.values());
  const Error e = test::error_of([&] { use_of("cpu", "planes"); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_STREQ(e.what(), "cache.layout: planes: the CPU reads no keys so; it reads rows and dims");
}

}  // namespace
}  // namespace skald
