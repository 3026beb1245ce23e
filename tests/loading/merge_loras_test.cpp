// Adapters that are merged into weights at load: the logits of steps that apply them.
#include "loading/merge_loras.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "backend/cpu/cpu_backend.h"
#include "skald/skald.h"
#include "stepping/runner.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/random_adapter.h"
#include "tests/support/temp_dir.h"

namespace skald::merge_loras_test {
namespace {

using testing::HasSubstr;

class MergeLoras : public testing::TestWithParam<const char*> {
 protected:
  std::string write(Adapter adapter) const {
    write_gguf_adapter(adapter, dir_.path("a.gguf"));
    return dir_.path("a.gguf");
  }
  std::shared_ptr<const LoadedModel> merged(const std::string& adapter, float scale = 1) const {
    return Model::load((golden_.folder / "model.gguf").string(), {.loras = {{adapter, scale}}}).loaded();
  }
  std::vector<float> logits(const LoadedModel& model, std::shared_ptr<const Adapter> adapter, float scale = 1) const {
    CpuBackend exact(1, "", {.exact = true});
    Runner runner(model.step_model(), exact, {.n_ctx = 256, .type_k = "f32", .type_v = "f32"});
    if (adapter) runner.set_adapters({{{runner.adapt(std::move(adapter)), scale, 0}}});
    return test::logits_of(runner, golden_.prompt_ids, 16, 20);
  }

  test::Golden golden_{test::data_dir() / "golden" / GetParam()};
  std::shared_ptr<const LoadedModel> model_ = golden_.load();
  test::TempDir dir_;
};

// f16 and bf16 weights round what is added.
TEST_P(MergeLoras, GivesTheLogitsOfStepsThatApplyThem) {
  auto made = std::make_shared<Adapter>(test::random_adapter(*model_, 0.02f, 1));
  const std::vector<float> want = logits(*model_, made, -0.5f), got = logits(*merged(write(*made), -0.5f), nullptr);
  EXPECT_FALSE(test::close_to(got, logits(*model_, nullptr), 0.1));
  EXPECT_TRUE(test::close_to(got, want, 0.1 * std::max(1.0, test::Golden::spread(want))));
}

TEST_P(MergeLoras, KeepsTypesAndTellsModelsApart) {
  const auto changed = merged(write(test::random_adapter(*model_, 0.02f, 1)));
  EXPECT_NE(changed->fingerprint(), model_->fingerprint());
  for (const auto& [name, weight] : model_->weights().weights)
    EXPECT_EQ(changed->weights().find(name)->format->id, weight.type->id) << name;
}

TEST_P(MergeLoras, RefusesAdaptersThatBeginSomewhere) {
  Adapter made = test::random_adapter(*model_, 0.02f, 1);
  const std::string path = write(made);
  EXPECT_THAT(test::error_of([&] { merged(path, std::numeric_limits<float>::quiet_NaN()); }).what(),
              HasSubstr("not finite"));
  made.invocation = {5};
  EXPECT_THAT(test::error_of([&] { merged(write(made)); }).what(), HasSubstr("certain tokens"));
}

// Floats, halves, a tied output, experts.
INSTANTIATE_TEST_SUITE_P(All, MergeLoras, testing::Values("llama_gqa", "qwen2", "gemma3", "qwen3moe"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace skald::merge_loras_test
