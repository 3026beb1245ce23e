// All that decides the bits of kept pages: an engine that differs in any of it takes none of them.
#include "engine/fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "stepping/runner.h"
#include "tests/engine/requests.h"
#include "tests/support/faulting_cpu.h"
#include "tests/support/faulting_memory.h"

namespace skald::fingerprint_test {
namespace {

class ToldCpu : public test::FaultingCpu {
 public:
  explicit ToldCpu(BackendInfo info) : test::FaultingCpu(1), info_(std::move(info)) {}
  BackendInfo info() const override { return info_; }

 private:
  BackendInfo info_;
};

struct Setting {
  BackendInfo backend = {.device = "a", .isa = "avx2", .numerics = 1};
  DeviceOptions device = {};
  KvStorage storage = {};
  KvLimits limits = {.max_keys = 1000, .max_rows = 100};
  int64_t window = 0, state = 0;
  bool on_device = false;

  Sha256Sum print() const {
    test::DeviceLike memory;
    const std::vector<DeviceMemory*> memories = {on_device ? &memory : &host_memory()};
    std::vector<StateSpec> slots = {AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = window}};
    if (state) slots.emplace_back(RecurrentState{state});
    const KvCache cache(make_kv_spec(std::move(slots), storage, limits.max_keys, {}, memories), limits, memories);
    return fingerprint(*test::story_model().loaded(), ToldCpu(backend), device, cache);
  }
};

TEST(Fingerprint, IsAnotherForEachSettingThatDecidesBits) {
  const std::vector<std::function<void(Setting&)>> changes = {[](Setting& s) { s.backend.isa = "avx512"; },
                                                              [](Setting& s) { s.backend.numerics = 2; },
                                                              [](Setting& s) { s.device.fused = false; },
                                                              [](Setting& s) { s.device.repack = false; },
                                                              [](Setting& s) { s.storage.k_type = "f32"; },
                                                              [](Setting& s) { s.storage.v_type = "f32"; },
                                                              [](Setting& s) { s.storage.layout = "rows"; },
                                                              [](Setting& s) { s.limits.max_rows = 200; },
                                                              [](Setting& s) { s.limits.sinks = 4; },
                                                              [](Setting& s) { s.window = 100; },
                                                              [](Setting& s) { s.state = 16; },
                                                              [](Setting& s) { s.storage.index = KeyIndex::kInt8; },
                                                              [](Setting& s) { s.storage.page_bounds = true; }};
  std::set<Sha256Sum> prints = {Setting().print()};
  for (size_t i = 0; i < changes.size(); ++i) {
    Setting changed;
    changes[i](changed);
    EXPECT_TRUE(prints.insert(changed.print()).second) << i;
  }
}

// Blocks lie in planes there: a page is of no use to the other one, even were the steps' bits the same.
TEST(Fingerprint, TellsLayoutsOfDevicesApart) {
  for (const KvStorage& storage :
       {KvStorage{.k_type = "q8_0"}, KvStorage{.layout = "rows"}, KvStorage{.v_type = "q4_0", .layout = "rows"}}) {
    const Setting here{.storage = storage}, there{.storage = storage, .on_device = true};
    const bool floats = storage.k_type == "f16" && storage.v_type == "f16";
    EXPECT_EQ(here.print() == there.print(), floats) << storage.k_type << ", " << storage.v_type;
  }
}

TEST(Fingerprint, IsTheSameForWhatDecidesNone) {
  Setting other;
  other.backend.threads = 7;
  other.device.n_threads = 7;
  other.device.lock = true;
  other.limits.n_sequences = 9;
  EXPECT_EQ(other.print(), Setting().print());
}

std::unique_ptr<Backend> split_at(char layer) {
  std::vector<std::unique_ptr<Backend>> devices;
  for (int i = 0; i < 2; ++i) devices.push_back(std::make_unique<CpuBackend>(1, ""));
  return std::make_unique<SplitBackend>(std::move(devices), by_layer([layer](std::string_view name) {
                                          return name.empty() || name.back() < layer ? size_t{0} : size_t{1};
                                        }));
}

Sha256Sum sum_of(Backend& backend) {
  const LoadedModel& model = *test::story_model().loaded();
  const Runner runner(model.step_model(), backend, {.n_ctx = 64});
  return fingerprint(model, backend, {}, runner.kv());
}

TEST(Fingerprint, NamesThePlacementOfASplit) {
  CpuBackend one(1, ""), same(2, "");
  EXPECT_EQ(sum_of(one), sum_of(same));
  const auto first = split_at('1'), again = split_at('1'), second = split_at('2');
  EXPECT_EQ(sum_of(*first), sum_of(*again));
  EXPECT_NE(sum_of(*first), sum_of(*second));
  EXPECT_NE(sum_of(*first), sum_of(one));
}

TEST(Fingerprint, TellsMemoriesApart) {
  const auto apart = test::two_memories(1);
  EXPECT_NE(sum_of(*apart), sum_of(*split_at('1')));
}

}  // namespace
}  // namespace skald::fingerprint_test
