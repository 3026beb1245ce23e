// The cache of a model whose file is not there yet, by the first bytes of it.
#include "tools/report/cache_estimate.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "stepping/memory_need.h"
#include "tests/support/paths.h"

namespace skald::cache_estimate_test {
namespace {

std::string bytes_of(const std::string& name) {
  std::ifstream file(test::data_dir() / "golden" / name / "model.gguf", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int64_t computed(const std::string& name, int64_t tokens) {
  const auto model = LoadedModel::from_gguf(
      Gguf::open((test::data_dir() / "golden" / name / "model.gguf").string(), FileBytes::How::kMap), "golden");
  return memory_need(*model, {.cache = {.n_ctx = tokens}, .schedule = {.n_parallel = 1}}).cache;
}

// Two pages more are made than are filled.
TEST(CacheEstimate, IsThatOfTheModel) {
  constexpr int64_t kTokens = 8192;
  for (const char* name : {"llama_mha_q8_0", "llama_gqa", "qwen3", "falcon_7b", "gptneox"}) {
    const int64_t estimate = cache_estimate(bytes_of(name), kTokens), real = computed(name, kTokens);
    EXPECT_LE(estimate, real) << name;
    EXPECT_GE(estimate, real * kTokens / (kTokens + 128)) << name;
  }
}

TEST(CacheEstimate, SupposesThatAllLayersSeeAllKeys) {
  EXPECT_GT(cache_estimate(bytes_of("gemma2"), 8192), computed("gemma2", 8192));
}

TEST(CacheEstimate, NeedsTheFirstKeysOnly) {
  const std::string all = bytes_of("llama_mha_q8_0");
  EXPECT_EQ(cache_estimate(std::string_view(all).substr(0, 4096), 8192), cache_estimate(all, 8192));
}

TEST(CacheEstimate, IsNoneWhereNothingIsSaid) {
  for (const std::string& text :
       {std::string(), std::string("GGUF"), std::string("not a model at all"), bytes_of("llama_mha_q8_0").substr(0, 40)})
    EXPECT_EQ(cache_estimate(text, 8192), 0);
}

}  // namespace
}  // namespace skald::cache_estimate_test
