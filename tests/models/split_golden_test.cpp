// Every golden model with its layers on two backends in turns: the bits of one backend.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/split_backend.h"
#include "stepping/runner.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/faulting_cpu.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

using test::Golden;

size_t alternating(std::string_view layer) { return layer.empty() ? 0 : static_cast<size_t>((layer.back() - '0') % 2); }

std::unique_ptr<SplitBackend> two_cpus(DeviceOptions second = {}) {
  std::vector<std::unique_ptr<Backend>> devices;
  devices.push_back(std::make_unique<CpuBackend>(2, ""));
  devices.push_back(std::make_unique<CpuBackend>(2, "", std::move(second)));
  return std::make_unique<SplitBackend>(std::move(devices), by_layer(alternating));
}

class SplitGolden : public testing::TestWithParam<std::string> {
 protected:
  // A prompt in two steps, then generated tokens.
  std::vector<float> logits(Backend& backend) const {
    Runner runner(model_->step_model(), backend, {.n_ctx = 256});
    return test::logits_of(runner, golden_.prompt_ids, 16, 20, model_->prefix_length(golden_.prompt_ids));
  }
  Golden golden_{test::data_dir() / "golden" / GetParam()};
  std::shared_ptr<const LoadedModel> model_ = golden_.load();
};

TEST_P(SplitGolden, GivesTheBitsOfOneBackend) {
  CpuBackend one(2, "");
  EXPECT_TRUE(test::same_bits(logits(*two_cpus()), logits(one)));
}

TEST_P(SplitGolden, KeepsFusedKernelsWhereOneBackendHasThem) {
  CpuBackend one(2, "");
  EXPECT_TRUE(test::same_bits(logits(*two_cpus({.fused = false})), logits(one)));
}

TEST_P(SplitGolden, KeepsWhatALayerNeedsInTheMemoryOfItsDevice) {
  CpuBackend one(2, "");
  std::vector<std::unique_ptr<Backend>> devices;
  devices.push_back(std::make_unique<CpuBackend>(2, ""));
  std::vector<test::FaultingMemory*> memories;
  for (int i = 0; i < 2; ++i) {
    auto device = std::make_unique<test::FaultingCpu>();
    memories.push_back(&device->memory());
    devices.push_back(std::move(device));
  }
  const auto thirds = [](std::string_view layer) { return layer.empty() ? 0 : 1 + alternating(layer); };
  SplitBackend split(std::move(devices), by_layer(thirds));
  EXPECT_TRUE(test::same_bits(logits(split), logits(one)));
  EXPECT_GT(memories[0]->bytes_written(), 0) << "from the host";
  EXPECT_GT(memories[1]->bytes_read(), 0) << "to the host";
  EXPECT_GT(memories[0]->bytes_read(), 0) << "between the two";
  EXPECT_GT(memories[1]->bytes_written(), 0) << "between the two";
}

TEST_P(SplitGolden, GivesLogitsInTheMemoryOfTheLastDevice) {
  CpuBackend one(2, "");
  EXPECT_TRUE(test::same_bits(logits(*test::two_memories()), logits(one)));
}

INSTANTIATE_TEST_SUITE_P(All, SplitGolden, testing::ValuesIn(test::golden_names([](const Golden&) { return true; })),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace skald
