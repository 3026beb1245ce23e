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

// A model one of whose values is not a number.
std::string poisoned(const test::EditedGolden& golden, const std::string& name, float value) {
  test::EditedGolden edited(golden.golden.name);
  std::memcpy(edited.tensors.at(name).data.data(), &value, sizeof value);
  const auto model = edited.load();
  CpuBackend backend(1, {});
  Runner runner(model->step_model(), backend, {.n_ctx = 64});
  KvSequence sequence = runner.new_sequence();
  const std::vector<TokenId> ids = {1, 5, 9};
  const StepItem item{&sequence, ids, 1};
  const Error e = test::error_of([&] { runner.run({&item, 1}); });
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_EQ(sequence.length(), 0);
  return e.what();
}

TEST(NonFinite, NamesTheTensorOrTheOperation) {
  const test::EditedGolden golden("llama_mha");
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_THAT(poisoned(golden, "output_norm.weight", nan), HasSubstr("tensor output_norm.weight"));
  EXPECT_THAT(poisoned(golden, "blk.1.ffn_norm.weight", inf), HasSubstr("tensor blk.1.ffn_norm.weight"));
  EXPECT_THAT(poisoned(golden, "blk.0.attn_output.weight", nan), AllOf(HasSubstr("finite"), HasSubstr("blk.0.attn_output")));
}

TEST(NonFinite, EndsStepsOfFixedShapesToo) {
  test::EditedGolden edited("llama_mha");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(edited.tensors.at("blk.1.attn_norm.weight").data.data(), &nan, sizeof nan);
  const auto model = edited.load();
  CpuBackend backend(1, {});
  StaticRunner runner(model->step_model(), backend, {.static_shapes = {.context = 64, .scales = {}}});
  KvSequence sequence = runner.new_sequence();
  const std::vector<TokenId> ids = {1, 5, 9};
  const StepItem item{&sequence, ids, 1};
  EXPECT_THAT(test::error_of([&] { runner.run({&item, 1}); }).what(), HasSubstr("tensor blk.1.attn_norm.weight"));
}

}  // namespace
}  // namespace skald::finite_test
