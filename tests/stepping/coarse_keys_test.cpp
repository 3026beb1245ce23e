// Keys of four bits are told of where models cannot do with them.
#include "stepping/coarse_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "stepping/runner.h"
#include "tests/models/edited_golden.h"

namespace skald::coarse_keys_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string told(const char* golden, const char* type_k) {
  const auto model = test::EditedGolden(golden).load();
  CpuBackend backend(1, {});
  testing::internal::CaptureStderr();
  const Runner runner(model->step_model(), backend, {.n_ctx = 64, .type_k = type_k, .type_v = "q4_0"});
  return testing::internal::GetCapturedStderr();
}

TEST(CoarseKeys, AreToldOfWhereKeysHaveBiases) {
  EXPECT_THAT(told("qwen2", "q4_0"), HasSubstr("q4_0 keys: this model's keys have biases"));
  EXPECT_THAT(told("phi2", "q4_0"), HasSubstr("q4_0 keys")) << "biases of queries, keys and values in one tensor";
  EXPECT_THAT(told("qwen2", "q8_0"), Not(HasSubstr("keys have biases")));
  EXPECT_THAT(told("llama_mha", "q4_0"), Not(HasSubstr("keys have biases")));
  EXPECT_THAT(told("qwen3", "q4_0"), Not(HasSubstr("keys have biases"))) << "their keys have norms";
}

}  // namespace
}  // namespace skald::coarse_keys_test
