// Golden models split between the CPU and the host as a GPU, or a card, at every layer and at their experts.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/gpu/placement.h"
#include "backend/split_backend.h"
#include "stepping/runner.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/gpu_backend.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

using test::Golden;

std::unique_ptr<SplitBackend> two_cpus_by(DeviceOptions o) {
  o.device = "simt";
  std::vector<std::unique_ptr<Backend>> devices;
  for (int i = 0; i < 2; ++i) devices.push_back(std::make_unique<CpuBackend>(2, ""));
  return std::make_unique<SplitBackend>(std::move(devices), gpu::placement_by(o));
}

class GpuSplit : public testing::TestWithParam<std::string> {
 protected:
  std::vector<float> logits(Backend& backend) const {
    Runner runner(model_->step_model(), backend, {.n_ctx = 256});
    return test::logits_of(runner, golden_.prompt_ids, 16, 20, model_->prefix_length(golden_.prompt_ids));
  }
  Golden golden_{test::data_dir() / "golden" / GetParam()};
  std::shared_ptr<const LoadedModel> model_ = golden_.load();
};

TEST_P(GpuSplit, OverTwoCpusGivesTheBitsOfOne) {
  CpuBackend one(2, "");
  const std::vector<float> want = logits(one);
  for (const char* layers : {"0", "1", "2", "3"})
    EXPECT_TRUE(test::same_bits(logits(*two_cpus_by({.gpu_layers = layers})), want)) << layers << " layers";
  EXPECT_TRUE(test::same_bits(logits(*two_cpus_by({.cpu_moe = true})), want)) << "experts on the CPU";
}

class GpuSplitOnSimt : public GpuSplit {};

TEST_P(GpuSplitOnSimt, GivesTheGoldenLogitsAtEveryLayer) {
  const double limit = std::max(golden_.storage.starts_with("Q") ? 0.5 : 3e-2, 3e-2) * std::max(1.0, golden_.logit_std);
  for (const char* layers : {"0", "1", "2", "3"}) {
    const std::unique_ptr<Backend> split = make_backend({.device = test::gpu_name(), .gpu_layers = layers});
    EXPECT_TRUE(test::close_to(logits(*split), golden_.logits("logits").values, limit)) << layers << " layers";
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuSplit, testing::ValuesIn(test::golden_names([](const Golden&) { return true; })),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(All, GpuSplitOnSimt, testing::ValuesIn(test::golden_names([](const Golden& golden) {
                           return golden.name.starts_with("llama_") && golden.storage != "BF16";
                         })),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace skald
