// Indexed sparse attention: a row attends to the keys that its layer's indexer chooses, however it is computed. Options that
// do not go with an indexer are rejected by name.
#include <gtest/gtest.h>

#include "stepping/compute.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"

namespace skald::indexed_test {
namespace {

using test::Golden;

Golden golden() { return Golden{test::data_dir() / "golden/deepseek32"}; }

std::vector<float> logits(EngineOptions options, int64_t step = 64, int64_t decode_from = 150) {
  const Golden g = golden();
  const auto model = g.load();
  options.cache.n_ctx = 256;
  Compute compute(*model, options);
  return test::logits_of(compute.runner(), g.long_ids, step, decode_from);
}

EngineOptions with(int threads, const char* type = "f32") {
  return {.device = {.n_threads = threads}, .cache = {.type_k = type, .type_v = type}};
}

TEST(Indexed, BitsDependNeitherOnThreadsNorOnHowThePromptIsCut) {
  const std::vector<float> want = logits(with(1));
  for (const int threads : {2, 3}) EXPECT_TRUE(test::same_bits(logits(with(threads)), want)) << threads << " threads";
  for (const int64_t step : {1, 17, 200}) EXPECT_TRUE(test::same_bits(logits(with(2), step), want)) << "steps of " << step;
}

// Rounded keys may choose others where two are nearly as good.
TEST(Indexed, CachesOfOtherTypesChooseNearlyTheSame) {
  const std::vector<float> want = logits(with(2));
  EXPECT_TRUE(test::close_to(logits(with(2, "f16")), want, 0.2));
}

TEST(Indexed, TheTextbooksAttentionGivesTheSame) {
  EngineOptions plain = with(2);
  plain.device.fused = false;
  EXPECT_TRUE(test::close_to(logits(plain), logits(with(2)), 1e-3));
}

TEST(Indexed, SparqAndFixedShapesAreRefused) {
  EngineOptions sparse = with(2);
  sparse.cache.sparq.k1 = 8;
  sparse.cache.sparq.k2 = 32;
  EXPECT_NE(std::string(test::error_of([&] { logits(sparse); }).what()).find("SparQ does not go with"), std::string::npos);
  const auto model = golden().load();
  const Error e = test::error_of([&] { model->build_graph({.past = 9, .past_format = &format_f32}); });
  EXPECT_NE(std::string(e.what()).find("does not go with fixed shapes"), std::string::npos) << e.what();
}

}  // namespace
}  // namespace skald::indexed_test
