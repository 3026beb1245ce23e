// Every golden model with its layers on two backends in turns: the bits of one backend.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/split_backend.h"
#include "stepping/runner.h"
#include "tensor/device_memory.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/loaded_small_model.h"

namespace skald {
namespace {

using test::Golden;

size_t alternating(std::string_view layer) { return layer.empty() ? 0 : static_cast<size_t>((layer.back() - '0') % 2); }

std::unique_ptr<SplitBackend> two_cpus(DeviceOptions second = {}) {
  std::vector<std::unique_ptr<Backend>> devices;
  devices.push_back(std::make_unique<CpuBackend>(2, ""));
  devices.push_back(std::make_unique<CpuBackend>(2, "", std::move(second)));
  return std::make_unique<SplitBackend>(std::move(devices), alternating);
}

// Memory that the host may not follow, as that of a device of its own.
class HiddenMemory : public DeviceMemory {
 public:
  std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) override { return host_memory().allocate(bytes); }
  void copy(std::byte* to, const std::byte* from, int64_t bytes) override { host_memory().copy(to, from, bytes); }
  void clear(std::byte* at, int64_t bytes) override { host_memory().clear(at, bytes); }
  void read(std::byte* host, const std::byte* from, int64_t bytes) override {
    read_ += bytes;
    host_memory().read(host, from, bytes);
  }
  void write(std::byte* to, const std::byte* host, int64_t bytes) override {
    written_ += bytes;
    host_memory().write(to, host, bytes);
  }
  bool host_visible() const override { return false; }

  int64_t read_ = 0, written_ = 0;
};

class HiddenCpu : public Backend {
 public:
  explicit HiddenCpu(HiddenMemory& memory) : memory_(memory) {}
  BackendInfo info() const override { return cpu_.info(); }
  bool supports(const Graph& graph, const Node& node) const override { return cpu_.supports(graph, node); }
  std::shared_ptr<const DeviceWeights> load(const Graph& graph, const WeightSource& source) override {
    return cpu_.load(graph, source);
  }
  std::unique_ptr<Program> compile(const Graph& graph, const DeviceWeights& weights) override {
    return cpu_.compile(graph, weights);
  }
  void share(int64_t n, const std::function<void(int64_t)>& fn) override { cpu_.share(n, fn); }
  int64_t work_bytes() const override { return cpu_.work_bytes(); }
  DeviceMemory& memory() override { return memory_; }
  const DeviceMeter& meter() override { return cpu_.meter(); }

 private:
  CpuBackend cpu_{2, ""};
  HiddenMemory& memory_;
};

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

TEST_P(SplitGolden, CarriesWhatCrossesThroughTheMemoryOfEachDevice) {
  CpuBackend one(2, "");
  HiddenMemory first, second;
  std::vector<std::unique_ptr<Backend>> devices;
  devices.push_back(std::make_unique<CpuBackend>(2, ""));
  devices.push_back(std::make_unique<HiddenCpu>(first));
  devices.push_back(std::make_unique<HiddenCpu>(second));
  const auto thirds = [](std::string_view layer) {
    return layer.empty() ? 0 : 1 + static_cast<size_t>((layer.back() - '0') % 2);
  };
  SplitBackend split(std::move(devices), thirds);
  EXPECT_TRUE(test::same_bits(logits(split), logits(one)));
  EXPECT_GT(first.written_, 0) << "from the host";
  EXPECT_GT(second.read_, 0) << "to the host";
  EXPECT_GT(first.read_, 0) << "between the two";
  EXPECT_GT(second.written_, 0) << "between the two";
}

INSTANTIATE_TEST_SUITE_P(All, SplitGolden, testing::ValuesIn(test::golden_names([](const Golden&) { return true; })),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace skald
