// The backend of GPUs on the host: what it refuses, and how it keeps memory.
#include "backend/gpu/gpu_backend.h"

#include <gtest/gtest.h>

#include "backend/gpu/best_rows.h"
#include "backend/simt/simt_device.h"
#include "graph/ops/columns.h"
#include "graph/ops/linear.h"
#include "sampling/most_likely.h"
#include "stepping/runner.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/sanitized.h"

namespace skald {
namespace {

using gpu::SimtDevice, gpu::Use;

const std::vector<TokenId> kTokens = {1, 2, 3};

std::string refusal(const test::SmallModel& model, CacheOptions cache = {.n_ctx = 64}) {
  const auto loaded = test::load(model);
  const std::unique_ptr<Backend> backend = make_backend({.device = "simt"});
  return test::error_of([&] {
           Runner runner(loaded->step_model(), *backend, cache);
           KvSequence sequence = runner.new_sequence();
           const StepItem item{&sequence, kTokens, 1};
           runner.run({&item, 1});
         })
      .what();
}

TEST(GpuBackend, NamesTheTypesOfACacheThatItHasNoKernelsFor) {
  EXPECT_NE(refusal({}, {.n_ctx = 64, .type_k = "kc8"}).find("no kernels for"), std::string::npos);
}

TEST(GpuBackend, RefusesSparseDecodingOfHeadsThatItHasNoKernelsFor) {
  CacheOptions cache{.n_ctx = 64};
  cache.sparq.ratio = 8;
  const std::string why = refusal({}, cache);
  EXPECT_NE(why.find("device simt: attention (blk.0.attention)"), std::string::npos) << why;
  EXPECT_NE(why.find("heads of 32 and 64 a KV head: leave --sparq flags out"), std::string::npos) << why;
}

TEST(GpuBackend, TellsTheBestTokensOfStepsOfFewRows) {
  const auto loaded = test::load({});
  const std::unique_ptr<Backend> backend = make_backend({.device = "simt"});
  Runner runner(loaded->step_model(), *backend, {.n_ctx = 256});
  KvSequence sequence = runner.new_sequence();
  const std::vector<TokenId> tokens = test::some_tokens(100, 1, loaded->n_vocab());
  for (const int64_t outputs : {1, 3, 64, 100}) {
    const StepItem item{&sequence, tokens, outputs};
    const Logits logits = runner.run({&item, 1});
    sequence.clear();
    for (int64_t row = 0; row < outputs; ++row) {
      const BestTokens* const best = logits.best(row);
      ASSERT_EQ(best == nullptr, outputs > gpu::BestRows::kMostRows);
      const std::span<const float> all = logits.row(row);
      const TokenId want = argmax(all);
      EXPECT_EQ(logits.argmax(row), want);
      if (!best) continue;
      EXPECT_EQ(best->tokens[0], want);
      EXPECT_EQ(best->logits[0], all[static_cast<size_t>(want)]);
      EXPECT_EQ(best->n, BestTokens::kMost);
    }
  }
}

TEST(GpuBackend, ShowsObserversWhatTheCpuShows) {
  struct Seen : StepObserver {
    std::vector<std::pair<std::string, std::vector<float>>> values;
    void before(const Graph& graph, const Node& node, std::span<const TensorView> in) override {
      if (node.op != &op_linear) return;
      std::vector<float> x;
      for (int64_t r = 0; r < in[0].rows(); ++r) x.insert(x.end(), in[0].row(r), in[0].row(r) + in[0].cols());
      values.emplace_back(graph.node(node.inputs[1]).name, x);
    }
  };
  const auto loaded = test::load({});
  Seen seen[2];
  const char* const devices[] = {"cpu", "simt"};
  for (int i = 0; i < 2; ++i) {
    const std::unique_ptr<Backend> backend = make_backend({.device = devices[i], .repack = false});
    Runner runner(loaded->step_model(), *backend, {.n_ctx = 64, .type_k = "f32", .type_v = "f32"});
    runner.observe(&seen[i]);
    KvSequence sequence = runner.new_sequence();
    const StepItem item{&sequence, kTokens, 1};
    runner.run({&item, 1});
  }
  ASSERT_EQ(seen[0].values.size(), seen[1].values.size());
  ASSERT_FALSE(seen[0].values.empty());
  for (size_t i = 0; i < seen[0].values.size(); ++i) {
    EXPECT_EQ(seen[0].values[i].first, seen[1].values[i].first);
    EXPECT_TRUE(test::close_to(seen[1].values[i].second, seen[0].values[i].second, 1e-3)) << seen[0].values[i].first;
  }
}

TEST(SimtDevice, GivesZeroedMemoryAgain) {
  SimtDevice device;
  std::byte* const first = device.allocate(1000, Use::kState);
  const std::vector<std::byte> ones(1000, std::byte{1});
  device.write(first, ones.data(), 1000);
  device.release(first);
  std::byte* const second = device.allocate(1000, Use::kState);
  std::vector<std::byte> got(1000, std::byte{2});
  device.read(got.data(), second, 1000);
  EXPECT_EQ(got, std::vector<std::byte>(1000));
  device.release(second);
}

TEST(SimtDevice, SaysHowMuchWasWantedWhereThereIsNoRoom) {
  SimtDevice device;
  const Error e = test::error_of([&] { device.allocate(int64_t{1} << 50, Use::kWeights); });
  EXPECT_EQ(e.code(), Errc::kNoMemory);
  EXPECT_NE(std::string(e.what()).find("cannot allocate 1125899906842624 bytes"), std::string::npos) << e.what();
}

// Address sanitizers have a report of their own.
TEST(SimtDeviceDeathTest, LetsTheHostFollowNoAddressOutsideOfKernels) {
  if (test::kSanitized) GTEST_SKIP();
  SimtDevice device;
  std::byte* const data = device.allocate(64, Use::kWork);
  EXPECT_DEATH(*reinterpret_cast<volatile char*>(data) = 1, "");
  device.release(data);
}

}  // namespace
}  // namespace skald
