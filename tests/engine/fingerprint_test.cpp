// What decides the bits of kept pages: whoever differs in any of it takes none of them.
#include "engine/fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/engine/requests.h"

namespace skald::fingerprint_test {
namespace {

struct Setting {
  BackendInfo backend = {.device = "a", .isa = "avx2", .numerics = 1};
  DeviceOptions device = {};
  KvStorage storage = {};
  KvLimits limits = {.max_keys = 1000, .max_rows = 100};
  int64_t window = 0, state = 0;

  Sha256Sum print() const {
    std::vector<StateSpec> slots = {AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = window}};
    if (state) slots.emplace_back(RecurrentState{state});
    const KvCache cache(make_kv_spec(std::move(slots), storage, limits.max_keys), limits);
    return fingerprint(*test::story_model().loaded(), backend, device, cache);
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

TEST(Fingerprint, IsTheSameForWhatDecidesNone) {
  Setting other;
  other.backend.threads = 7;
  other.device.n_threads = 7;
  other.device.lock = true;
  other.limits.n_sequences = 9;
  EXPECT_EQ(other.print(), Setting().print());
}

}  // namespace
}  // namespace skald::fingerprint_test
