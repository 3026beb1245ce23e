// Golden encoders on every tier: vectors of short and long texts, and states, within the README's limits.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "embedding/text_reader.h"
#include "kernels/api/tier.h"
#include "tests/models/edited_golden.h"
#include "tests/models/encoder_golden.h"
#include "tests/support/close_to.h"
#include "tests/support/tiers.h"

namespace skald::encoders_test {
namespace {

using test::EncoderGolden;

EmbedderOptions options(const std::string& cache = "f32") {
  return {.cache = {.n_ctx = 256, .type_k = cache, .type_v = cache}};
}

class Encoders : public testing::TestWithParam<std::tuple<const Tier*, std::string>> {
 protected:
  void SetUp() override {
    if (!tier().supported()) GTEST_SKIP() << "this CPU lacks " << tier().name;
    model_ = golden_.load().loaded();
    if (!golden_.has_states()) GTEST_SKIP() << "embedder_test has its score";
  }
  const Tier& tier() const { return *std::get<0>(GetParam()); }
  std::vector<float> states(const std::vector<TokenId>& ids, const DeviceOptions& device = {},
                            const std::string& cache = "f32") const {
    CpuBackend backend(2, tier().name, device);
    TextReader reader(*model_, backend, options(cache));
    const EmbedInput input{.tokens = ids};
    return reader.read({&input, 1}, Pooling::kNone)[0];
  }

  EncoderGolden golden_{std::get<1>(GetParam())};
  std::shared_ptr<const LoadedModel> model_;
};

TEST_P(Encoders, GiveTheReferencesStates) {
  const std::vector<float> want = golden_.states().values;
  EXPECT_TRUE(test::close_to(states(golden_.prompt_ids), want, 1e-3));
  EXPECT_TRUE(test::close_to(states(golden_.prompt_ids, {.repack = false}), want, 1e-3)) << "weights as they lie";
  EXPECT_TRUE(test::close_to(states(golden_.prompt_ids, {.fused = false}), want, 1e-3)) << "attention in its parts";
  EXPECT_TRUE(test::close_to(states(golden_.prompt_ids, {}, "f16"), want, 6e-2)) << "a cache of half precision";
}

TEST_P(Encoders, GiveTheReferencesVectorsOfLongTexts) {
  CpuBackend backend(2, tier().name);
  TextReader reader(*model_, backend, options());
  const EmbedInput input{.tokens = golden_.long_ids};
  std::vector<float> vector = reader.read({&input, 1}, golden_.arch == "modern-bert" ? Pooling::kCls : Pooling::kMean)[0];
  normalise(vector);
  EXPECT_TRUE(test::close_to(vector, golden_.long_embedding, 2e-4));
}

INSTANTIATE_TEST_SUITE_P(All, Encoders, testing::Combine(testing::ValuesIn(tiers()), testing::ValuesIn(test::kEncoders)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)->name) + "_" + std::get<1>(info.param);
                         });

// In a single layer the last token sees the same tokens in both directions as in one.
TEST(GemmaEmbedding, IsGemma3InBothDirections) {
  test::EditedGolden gemma("gemma3"), encoder("gemma3");
  for (test::EditedGolden* file : {&gemma, &encoder}) {
    file->set("block_count", uint32_t{1});
    std::erase_if(file->tensors,
                  [](const auto& t) { return t.first.starts_with("blk.") && !t.first.starts_with("blk.0."); });
  }
  Meta renamed;
  for (const auto& [key, value] : gemma.meta.entries())
    renamed.set(key.starts_with("gemma3.") ? "gemma-embedding." + key.substr(7) : key, value);
  renamed.set("general.architecture", std::string("gemma-embedding"));
  renamed.set("gemma-embedding.attention.sliding_window", uint32_t{4096});
  encoder.meta = renamed;
  CpuBackend backend(2, test::unrounded_tier());
  const EmbedInput input{.tokens = gemma.golden.prompt_ids};
  const auto states = [&](const test::EditedGolden& file, Pooling pooling) {
    const auto model = file.load();
    TextReader reader(*model, backend, options());
    return reader.read({&input, 1}, pooling)[0];
  };
  EXPECT_TRUE(test::close_to(states(encoder, Pooling::kLast), states(gemma, Pooling::kLast), 1e-4));
  EXPECT_FALSE(test::close_to(states(encoder, Pooling::kCls), states(gemma, Pooling::kCls), 1e-2));
}

}  // namespace
}  // namespace skald::encoders_test
