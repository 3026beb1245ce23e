// Families whose attention is out of the ordinary with every cache: types, layouts, sparse decoding, attention that is not
// fused, each against dense attention over floats.
#include <gtest/gtest.h>

#include <ostream>

#include "stepping/compute.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

constexpr int64_t kDecodeFrom = 150;

CacheOptions stored(const char* k, const char* v, const char* layout) {
  return {.type_k = k, .type_v = v, .layout = layout};
}

/// Logits of all long_ids, the last of which are decoded. Weights stay as the file has them: by floats, where panels of f16
/// would round activations, to other sides if they differ in the last bit.
std::vector<float> logits(const test::Golden& golden, CacheOptions cache, const SparqParams& sparq = {}, bool fused = true) {
  const auto model = golden.load();
  cache.n_ctx = 256;
  cache.sparq = sparq;
  Compute compute(*model, {.device = {.n_threads = 2, .fused = fused, .repack = false}, .cache = cache});
  return test::logits_of(compute.runner(), golden.long_ids, 64, kDecodeFrom, model->prefix_length(golden.long_ids));
}

/// The possible change of logits of unit spread by rounding keys and values to a type.
double limit(std::string_view type) { return type == "f32" ? 5e-4 : type == "f16" ? 3e-2 : 0.15; }

class Caches : public testing::TestWithParam<std::string> {
 protected:
  test::Golden golden_{test::data_dir() / "golden" / GetParam()};
  std::vector<float> dense_ = logits(golden_, stored("f32", "f32", "auto"));

  testing::AssertionResult close(const std::vector<float>& got, double most) const {
    return test::close_to(got, dense_, most * std::max(1.0, golden_.logit_std));
  }
};

TEST_P(Caches, EveryTypeAndLayoutOfFloats) {
  for (const char* layout : {"dims", "rows"})
    for (const char* type : {"f32", "f16", "bf16"})
      EXPECT_TRUE(close(logits(golden_, stored(type, type, layout)), limit(type))) << type << " by " << layout;
}

TEST_P(Caches, AttentionThatIsNotFused) {
  EXPECT_TRUE(close(logits(golden_, stored("f32", "f32", "auto"), {}, false), limit("f32")));
}

TEST_P(Caches, SparseDecodingOfAllKeysIsDense) {
  EXPECT_TRUE(close(logits(golden_, stored("f32", "f32", "rows"), {.k1 = 2, .k2 = 256, .mean = {}}), limit("f32")));
}

// All components find the keys that matter most, and these are nearly all of the sum: logits differ, but not by much.
TEST_P(Caches, SparseDecodingOfMostKeysIsClose) {
  const std::vector<float> sparse =
      logits(golden_, stored("f32", "f32", "rows"), {.k1 = 64, .k2 = 140, .local = 16, .mean = true});
  EXPECT_TRUE(close(sparse, 0.4));
}

INSTANTIATE_TEST_SUITE_P(All, Caches,
                         testing::Values("bloom", "falcon_rw", "gemma2", "gemma3", "mpt_clip", "opt", "phi3_longrope",
                                         "starcoder2", "cohere2", "chatglm1", "qwen35", "lfm2", "granitehybrid",
                                         "kimilinear", "falcon_h1", "nemotron_h"),
                         [](const auto& test) { return test.param; });

using QuantizedCaches = Caches;  // of heads of whole blocks

TEST_P(QuantizedCaches, EveryType) {
  for (const char* k : {"q8_0", "q4_0"})
    for (const char* v : {"q8_0", "f16"})
      EXPECT_TRUE(close(logits(golden_, stored(k, v, "auto")), k[1] == '8' ? 0.1 : 1)) << k << ", " << v;
}

INSTANTIATE_TEST_SUITE_P(All, QuantizedCaches, testing::Values("gemma2", "qwen3"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace skald
