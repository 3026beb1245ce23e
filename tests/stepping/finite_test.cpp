// Logits that are not finite are an error that names the place.
#include "stepping/finite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "backend/cpu/cpu_backend.h"
#include "stepping/runner.h"
#include "stepping/static_runner.h"
#include "tests/models/edited_golden.h"
#include "tests/support/errors.h"
#include "tests/support/gpu_backend.h"
#include "tests/support/tiers.h"

namespace skald::finite_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(AllFinite, SeesEveryValue) {
  for (const size_t n : {1UL, 15UL, 16UL, 17UL, 50UL})
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()})
      for (size_t at = 0; at < n; ++at) {
        std::vector<float> x(n, -std::numeric_limits<float>::max());
        EXPECT_TRUE(all_finite(x));
        x[at] = bad;
        EXPECT_FALSE(all_finite(x)) << at << " of " << n;
      }
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

std::unique_ptr<Backend> on_cpu(std::string_view isa = {}) { return std::make_unique<CpuBackend>(1, isa); }

// What is said of a model with such a value where a tensor begins, of which three tokens are read.
std::string poisoned(const std::string& golden, const std::string& tensor, const void* value, size_t bytes,
                     std::unique_ptr<Backend> backend, const CacheOptions& cache = {.n_ctx = 64}) {
  test::EditedGolden edited(golden);
  std::memcpy(edited.tensors.at(tensor).data.data(), value, bytes);
  const auto model = edited.load();
  const Error e = test::error_of([&] {
    Runner runner(model->step_model(), *backend, cache);
    KvSequence sequence = runner.new_sequence();
    const std::vector<TokenId> ids = {1, 5, 9};
    const StepItem item{&sequence, ids, 1};
    runner.run({&item, 1});
  });
  EXPECT_EQ(e.code(), Errc::kBadFile) << golden << ' ' << tensor << ": " << e.what();
  return e.what();
}

TEST(NonFinite, WeightsThatStayFloatsAreRefusedByTheirNames) {
  for (const float value : {kNan, kInf, -kInf})
    for (const char* tensor : {"output_norm.weight", "blk.1.ffn_norm.weight", "blk.0.attn_output.weight"})
      EXPECT_THAT(poisoned("llama_mha", tensor, &value, sizeof value, on_cpu()),
                  AllOf(HasSubstr("finite"), HasSubstr("tensor " + std::string(tensor) + ", row 0, column 0")));
}

// A block's scale: what it makes of activations is rounded again further on.
TEST(NonFinite, OfQuantisedWeightsIsNotHiddenByRounding) {
  for (const Tier* tier : tiers()) {
    if (!tier->supported()) continue;
    for (const char* golden : {"llama_mha_q8_0", "llama_mha_q4_0", "qwen2_q4_k"})
      for (const char* tensor :
           {"blk.0.attn_q.weight", "blk.0.attn_v.weight", "blk.0.ffn_up.weight", "blk.0.ffn_down.weight"})
        for (const uint16_t scale : {uint16_t{0x7e00}, uint16_t{0x7c00}})
          EXPECT_THAT(poisoned(golden, tensor, &scale, sizeof scale, on_cpu(tier->name)), HasSubstr("finite"))
              << tier->name << ' ' << golden << ' ' << tensor << ' ' << scale;
  }
}

// Rows of activations and of the cache are codes there too. The device says so of its logits, without the host reading them.
TEST(NonFinite, OnADeviceIsNotHiddenByRounding) {
  for (const char* cache : {"f16", "q8_0", "q4_0"})
    for (const char* golden : {"llama_mha_q8_0", "qwen2_q4_k"})
      for (const char* tensor : {"blk.0.attn_q.weight", "blk.0.attn_k.weight", "blk.0.attn_v.weight", "blk.0.ffn_up.weight",
                                 "blk.1.ffn_down.weight"})
        for (const uint16_t scale : {uint16_t{0x7e00}, uint16_t{0x7c00}})
          EXPECT_THAT(poisoned(golden, tensor, &scale, sizeof scale, test::gpu_backend(),
                               {.n_ctx = 64, .type_k = cache, .type_v = cache}),
                      HasSubstr("finite"))
              << cache << ' ' << golden << ' ' << tensor << ' ' << scale;
}

TEST(NonFinite, OfATokenBeforeTheLastEndsTheStep) {
  test::EditedGolden edited("llama_mha_q8_0");
  test::EditedGolden::Tensor& table = edited.tensors.at("token_embd.weight");
  const uint16_t scale = 0x7e00;
  std::memcpy(table.data.data() + 5 * table.row_bytes(), &scale, sizeof scale);
  const auto model = edited.load();
  CpuBackend backend(1, {});
  Runner runner(model->step_model(), backend, {.n_ctx = 64});
  KvSequence sequence = runner.new_sequence();
  const std::vector<TokenId> ids = {1, 5, 9};
  const StepItem item{&sequence, ids, 1};
  EXPECT_THAT(test::error_of([&] { runner.run({&item, 1}); }).what(), AllOf(HasSubstr("finite"), HasSubstr("token 1")));
  EXPECT_EQ(sequence.length(), 0);
}

TEST(NonFinite, EndsStepsOfFixedShapesToo) {
  test::EditedGolden edited("llama_mha_q8_0");
  const uint16_t scale = 0x7e00;
  std::memcpy(edited.tensors.at("blk.1.attn_k.weight").data.data(), &scale, sizeof scale);
  const auto model = edited.load();
  CpuBackend backend(1, {});
  StaticRunner runner(model->step_model(), backend, {.static_shapes = {.context = 64, .scales = {}}});
  KvSequence sequence = runner.new_sequence();
  const std::vector<TokenId> ids = {1, 5, 9};
  const StepItem item{&sequence, ids, 1};
  EXPECT_THAT(test::error_of([&] { runner.run({&item, 1}); }).what(), HasSubstr("attn_k"));
}

}  // namespace
}  // namespace skald::finite_test
