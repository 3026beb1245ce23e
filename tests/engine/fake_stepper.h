// A stepper whose logits follow from what lies in the cache, and a loop on it with a clock that stands still unless told.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/rng.h"
#include "engine/disk_tier.h"
#include "engine/loop.h"
#include "tests/support/faulting_memory.h"

namespace skald::test {

inline constexpr int64_t kFakeVocab = 50;

// A key is its token and whether it was generated; a row's logits are a hash of all keys before it. A branch that lost a
// page, or made a row again in another way, says something else.
class FakeStepper : public Stepper {
 public:
  /// With a window there is a second layer, whose rows see that many last keys only; with a state a row also sees a hash of
  /// all tokens before it. `apart`: what it keeps lies in turns in two memories that the host does not see.
  explicit FakeStepper(const KvLimits& limits, int64_t window = 0, bool state = false, bool apart = false)
      : window_(window),
        state_(state),
        cache_(make_kv_spec(slots(window, state), {.k_type = "f32", .v_type = "f32", .layout = "rows"}, limits.max_keys,
                            memory_of(std::ssize(slots(window, state)), apart)),
               limits, apart ? std::vector<DeviceMemory*>{&memories_[0], &memories_[1]} : std::vector{&host_memory()}) {}

  void compile() override {}
  KvCache& kv() override { return cache_; }
  const KvCache& kv() const override { return cache_; }
  std::shared_ptr<const DeviceWeights> weights() const override { fail(Errc::kUnsupported, "has no weights"); }
  std::string kv_storage() const override { return {}; }
  void report(MemoryUse&) const override {}

  Logits run(std::span<const StepItem> items) override {
    ++steps;
    for (const StepItem& item : items) rows += std::ssize(item.tokens);
    most_items = std::max(most_items, std::ssize(items));
    for (const StepItem& item : items)
      if (!item.kv->reserve(item.kv->length() + std::ssize(item.tokens))) fail(Errc::kNoMemory, "no pages");
    compute(items);
    // A step that fails leaves states half done.
    for (const StepItem& item : items)
      if (std::ranges::find(item.tokens, poison) != item.tokens.end()) fail(Errc::kDevice, "the token is poisoned");
    for (const StepItem& item : items)
      item.kv->set_length(item.kv->length() + std::ssize(item.tokens), {.generated = item.decode});
    int64_t all = 0;
    for (const StepItem& item : items) all += std::ssize(item.tokens);
    if (ran) ran(all);
    return {{reinterpret_cast<std::byte*>(logits_.data()), {&format_f32, {std::ssize(logits_) / kFakeVocab, kFakeVocab}}},
            host_memory()};
  }

  /// A row for each token of the last step: the token itself.
  Logits hidden() const override {
    auto* const rows = reinterpret_cast<std::byte*>(const_cast<float*>(hidden_.data()));
    return {{rows, {&format_f32, {std::ssize(hidden_), 1}}}, host_memory()};
  }

  std::function<void(int64_t rows)> ran = {};  // called after each step
  int64_t steps = 0, most_items = 0, rows = 0;
  TokenId poison = -1;
  bool flat = false;  // all tokens are equally likely

 private:
  static std::vector<StateSpec> slots(int64_t window, bool state) {
    std::vector<StateSpec> out = {AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2}};
    if (window) out.emplace_back(AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = window});
    if (state) out.emplace_back(RecurrentState{2});
    return out;
  }

  // The state after the token: what it was before, and the token.
  static uint64_t advance(float* state, int64_t key) {
    uint64_t hash = 0;
    std::memcpy(&hash, state, sizeof hash);
    hash = Rng(hash ^ static_cast<uint64_t>(key + 1)).next();
    std::memcpy(state, &hash, sizeof hash);
    return hash;
  }

  static std::vector<size_t> memory_of(int64_t slots, bool apart) {
    std::vector<size_t> out(static_cast<size_t>(slots));
    for (size_t i = 0; apart && i < out.size(); ++i) out[i] = i % 2;
    return out;
  }

  void compute(std::span<const StepItem> items) {
    const FaultingMemory::Open first(memories_[0]), second(memories_[1]);
    logits_.clear();
    hidden_.clear();
    for (const StepItem& item : items) append(item);
  }

  void append(const StepItem& item) {
    hidden_.insert(hidden_.end(), item.tokens.begin(), item.tokens.end());
    const int64_t from = item.kv->length(), n = std::ssize(item.tokens);
    std::vector<KvView> layers = {item.kv->view(0)};
    if (window_) layers.push_back(item.kv->view(1));
    std::vector<uint64_t> states(static_cast<size_t>(n), 1);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t key = item.tokens[static_cast<size_t>(i)] * 2 + item.decode;
      for (const KvView& view : layers) std::memcpy(view.k_row(0, from + i - view.shift), &key, sizeof key);
      if (state_) states[static_cast<size_t>(i)] = advance(item.kv->recurrent(std::ssize(layers)), key);
    }
    for (int64_t i = n - item.n_outputs; i < n; ++i) {
      uint64_t hash = states[static_cast<size_t>(i)];
      for (const KvView& view : layers) hash = seen(view, from + i, &view == &layers[0] ? 0 : window_, hash);
      for (int64_t id = 0; id < kFakeVocab; ++id)
        logits_.push_back(flat ? 0 : static_cast<float>(Rng(hash + static_cast<uint64_t>(id)).uniform() * 8));
    }
  }

  // `hash` and the keys that a row sees.
  static uint64_t seen(const KvView& view, int64_t row, int64_t window, uint64_t hash) {
    for (int64_t at = 0; at <= row - view.shift; ++at) {
      if (at >= view.kept && at < view.begin) continue;
      if (window && at + window <= row - view.shift) continue;
      int64_t key = 0;
      std::memcpy(&key, view.k_row(0, at), sizeof key);
      hash = Rng(hash ^ static_cast<uint64_t>(key)).next();
    }
    return hash;
  }

  int64_t window_;
  bool state_;
  std::array<FaultingMemory, 2> memories_;
  KvCache cache_;
  std::vector<float> logits_, hidden_;
};

class Driver {
 public:
  /// `total_keys` as in KvLimits: layers with a window have room for eight sequences in any case.
  explicit Driver(int64_t total_keys, LoopOptions o = {.limits = {.n_ctx = 600}, .n_parallel = 6, .rows = 100},
                  int64_t window = 0, bool state = false, PageStore* store = nullptr, bool apart = false)
      : stepper({.max_keys = std::max<int64_t>(1000, o.limits.n_ctx),
                 .max_rows = o.rows,
                 .n_sequences = 8,
                 .total_keys = total_keys,
                 .rollback = 64},
                window, state, apart),
        full_(stepper.room().counts) {
    o.now = [this] { return now; };
    if (store) o.disk = &disk.emplace(*store, stepper.kv(), Sha256Sum{}, [] {});
    loop.emplace(stepper, std::move(o));
  }
  std::future<Result> submit(Request request) {
    std::promise<Result> promise;
    std::future<Result> result = promise.get_future();
    loop->submit(++id, std::move(request), std::move(promise));
    return result;
  }
  // False after more steps than the jobs can take.
  bool run() {
    for (int64_t i = 0; i < 200000; ++i) {
      if (loop->idle()) return true;
      if (!loop->has_work()) std::this_thread::sleep_for(std::chrono::microseconds(50));  // for the disk
      loop->step();
      most_paused = std::max(most_paused, loop->paused());
    }
    return false;
  }
  Result generate(Request request) {
    std::future<Result> result = submit(std::move(request));
    EXPECT_TRUE(run());
    return result.get();
  }
  bool all_free() const { return stepper.room().counts == full_; }

  FakeStepper stepper;
  std::optional<DiskTier> disk;
  std::optional<EngineLoop> loop;
  Clock::time_point now = {};
  RequestId id = 0;
  int64_t most_paused = 0;

 private:
  std::vector<int64_t> full_;
};

}  // namespace skald::test
