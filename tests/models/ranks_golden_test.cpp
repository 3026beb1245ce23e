// Every golden model on several ranks: the bits of one process where no sum is cut, and close to them otherwise.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/ranks_backend.h"

namespace skald {
namespace {

using test::Golden;

class RanksGoldenTest : public testing::TestWithParam<std::string> {
 protected:
  /// Of a prompt in steps of 7 tokens, then of tokens one by one.
  std::vector<float> logits_on(Backend& backend) const {
    Runner runner(model_->step_model(), backend, {.n_ctx = 64, .type_k = "f32", .type_v = "f32"});
    return test::logits_of(runner, golden_.prompt_ids, 7, std::ssize(golden_.prompt_ids) / 2,
                           model_->prefix_length(golden_.prompt_ids));
  }

  static std::unique_ptr<Backend> one_thread() { return std::make_unique<CpuBackend>(1, ""); }

  std::vector<float> logits_on(int ranks, bool exact) const {
    test::RanksBackend backend(model_, ranks, exact, one_thread);
    return logits_on(backend);
  }

  /// Bytes that the ranks sent for `n` generated tokens after a prompt.
  int64_t bytes_sent(int ranks, int64_t n) const {
    test::RanksBackend backend(model_, ranks, /*exact=*/false, one_thread);
    Runner runner(model_->step_model(), backend, {.n_ctx = 64});
    KvSequence kv = runner.new_sequence();
    const std::span<const TokenId> ids(golden_.prompt_ids);
    int64_t before = 0;
    for (int64_t i = 0; i < 8 + n; ++i) {
      const StepItem item{&kv, ids.subspan(static_cast<size_t>(i), 1), 1, true};
      if (i == 8) before = backend.boxes().sent();
      runner.run({&item, 1});
    }
    return backend.boxes().sent() - before;
  }

  Golden golden_{test::data_dir() / "golden" / GetParam()};
  std::shared_ptr<const LoadedModel> model_ = golden_.load();
};

TEST_P(RanksGoldenTest, WithoutCutSumsHasTheBitsOfOneProcess) {
  CpuBackend alone(1, "");
  const std::vector<float> want = logits_on(alone);
  for (const int ranks : {2, 3, 4}) EXPECT_EQ(logits_on(ranks, /*exact=*/true), want) << ranks << " ranks";
}

// Sums in another order; where activations are integers, these may round to others.
TEST_P(RanksGoldenTest, IsCloseToOneProcess) {
  CpuBackend alone(1, "");
  const std::vector<float> want = logits_on(alone);
  const double limit =
      (golden_.storage == "F32" || golden_.storage == "BF16" ? 2e-2 : 0.2) * std::max(1.0, golden_.logit_std);
  for (const int ranks : {2, 3}) EXPECT_TRUE(test::close_to(logits_on(ranks, false), want, limit)) << ranks << " ranks";
}

class RanksBytesTest : public RanksGoldenTest {};

// The formula of docs/scaling.md.
TEST_P(RanksBytesTest, GoOverTheWireForEachToken) {
  constexpr int64_t kTokens = 4, kFloat = sizeof(float), kMostOfOrder = 1000;
  const int64_t layers = std::ssize(model_->states()), d = model_->d_states(), vocab = model_->n_vocab();
  for (const int64_t ranks : {2, 3}) {
    const int64_t sums = (2 * layers + 1) * ranks * (ranks - 1) * d * kFloat;
    const int64_t logits = vocab * kFloat - (vocab / ranks) * kFloat;
    const int64_t numbers = kTokens * (sums + logits), sent = bytes_sent(static_cast<int>(ranks), kTokens);
    EXPECT_GE(sent, numbers) << ranks;
    EXPECT_LE(sent - numbers, kTokens * (ranks - 1) * kMostOfOrder) << ranks << ": of orders";
  }
}

INSTANTIATE_TEST_SUITE_P(Models, RanksBytesTest, testing::Values("llama_gqa", "qwen3"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Models, RanksGoldenTest,
                         testing::ValuesIn(test::golden_names([](const Golden& g) { return !g.greedy_ids.empty(); })),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace skald
