// Every golden model on several ranks: the bits of one process where no sum is cut, and close to them otherwise.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "graph/stages.h"
#include "quant/registry.h"
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

  std::vector<float> logits_on(int ranks, const RankCut& cut) const {
    test::RanksBackend backend(model_, ranks, cut, one_thread);
    return logits_on(backend);
  }

  /// Bytes that the ranks sent for `n` generated tokens after a prompt.
  int64_t bytes_sent(int ranks, int64_t n, const RankCut& cut = {}) const {
    test::RanksBackend backend(model_, ranks, cut, one_thread);
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
  for (const int ranks : {2, 3, 4}) EXPECT_EQ(logits_on(ranks, {.exact = true}), want) << ranks << " ranks";
}

// Stages cut no sum. With two ranks in each, none of theirs is cut either.
TEST_P(RanksGoldenTest, InStagesHasTheBitsOfOneProcess) {
  const auto most = static_cast<int>(most_stages(model_->step_model().graph({1, 1})));
  CpuBackend alone(1, "");
  const std::vector<float> want = logits_on(alone);
  if (most == 1) GTEST_SKIP() << "all layers read the keys of one";
  for (int stages = 2; stages <= std::min(most, 3); ++stages)
    EXPECT_EQ(logits_on(stages, {.stages = stages}), want) << stages << " stages";
  EXPECT_EQ(logits_on(4, {.stages = 2, .exact = true}), want) << "2 stages of 2 ranks";
}

// Sums in another order; where activations are integers, these may round to others.
TEST_P(RanksGoldenTest, IsCloseToOneProcess) {
  CpuBackend alone(1, "");
  const std::vector<float> want = logits_on(alone);
  const double limit =
      (golden_.storage == "F32" || golden_.storage == "BF16" ? 2e-2 : 0.2) * std::max(1.0, golden_.logit_std);
  for (const int ranks : {2, 3}) EXPECT_TRUE(test::close_to(logits_on(ranks, {}), want, limit)) << ranks << " ranks";
}

// Experts of which each rank has some: tokens may go to those of one rank alone.
TEST(RanksExperts, AreCloseToOneProcess) {
  const auto model = test::load({.arch = "qwen3moe", .format = find_format("q4_k"), .d_model = 256, .d_ff = 256});
  const auto logits = [&](Backend& backend) {
    Runner runner(model->step_model(), backend, {.n_ctx = 64, .type_k = "f32", .type_v = "f32"});
    return test::logits_of(runner, test::some_tokens(40, 1, model->n_vocab()), 16, 30);
  };
  // All ranks read the weights where they lie.
  const auto one_thread = [] { return make_backend({.n_threads = 1, .repack = false}); };
  const std::vector<float> want = logits(*one_thread());
  for (const int ranks : {2, 3, 4}) {
    test::RanksBackend backend(model, ranks, {}, one_thread);
    EXPECT_TRUE(test::close_to(logits(backend), want, 0.1)) << ranks << " ranks";
  }
}

// Long steps add up some rows while they compute others.
TEST(RanksSums, OfLongStepsHaveTheBitsOfShortOnes) {
  const auto load = [] { return test::load({.n_layers = 2, .d_model = 1024, .d_ff = 512}); };
  const auto model = load();
  const std::vector<TokenId> tokens = test::some_tokens(500, 1, model->n_vocab());
  // Each rank gives back the weights of which it has copied its columns: it has them for itself.
  test::RanksBackend backend(load(), 2, {}, [] { return make_backend({.n_threads = 1, .repack = false}); });
  Runner runner(model->step_model(), backend, {.n_ctx = 512, .type_k = "f32", .type_v = "f32"});
  const auto logits = [&](int64_t step) { return test::logits_of(runner, tokens, step, std::ssize(tokens)); };
  EXPECT_EQ(logits(500), logits(20));
}

class RanksPiecesTest : public RanksGoldenTest {
 protected:
  /// The logits after prompts of `lengths`, and of a token after each, all in one step.
  std::vector<float> logits_of_batch(Backend& backend, std::span<const int64_t> lengths) const {
    Runner runner(model_->step_model(), backend, {.n_ctx = 512}, {.n_parallel = 4});
    std::vector<KvSequence> kv;
    std::vector<std::vector<TokenId>> tokens;
    for (const int64_t n : lengths) {
      kv.push_back(runner.new_sequence());
      std::vector<TokenId>& prompt = tokens.emplace_back();
      for (int64_t i = 0; i < n; ++i)
        prompt.push_back(golden_.prompt_ids[static_cast<size_t>(i) % golden_.prompt_ids.size()]);
    }
    std::vector<float> out;
    for (const bool decode : {false, true}) {
      std::vector<StepItem> items;
      for (size_t q = 0; q < kv.size(); ++q)
        items.push_back({&kv[q], decode ? std::span(tokens[q]).first(1) : std::span(tokens[q]), 1, decode});
      const Logits logits = runner.run(items);
      out.insert(out.end(), logits.all().begin(), logits.all().end());
    }
    return out;
  }
};

// Prompts are cut at pages, between sequences, and within them.
TEST_P(RanksPiecesTest, OfLongStepsHaveTheBitsOfOneProcess) {
  const std::vector<int64_t> lengths = {230, 70, 1, 130};
  CpuBackend alone(1, "");
  const std::vector<float> want = logits_of_batch(alone, lengths);
  test::RanksBackend two(model_, 2, {.stages = 2}, one_thread), four(model_, 4, {.stages = 2, .exact = true}, one_thread);
  EXPECT_EQ(logits_of_batch(two, lengths), want);
  EXPECT_EQ(logits_of_batch(four, lengths), want);
}

INSTANTIATE_TEST_SUITE_P(Models, RanksPiecesTest,
                         testing::Values("llama_gqa", "gemma3", "qwen3next", "mamba2", "deepseek2_lite", "qwen3moe"),
                         [](const auto& info) { return info.param; });

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

// From stage to stage, and back to the first.
TEST_P(RanksBytesTest, GoFromStageToStageForEachToken) {
  constexpr int64_t kTokens = 4, kFloat = sizeof(float), kMostOfOrder = 1000;
  const int64_t row = model_->d_states() * kFloat;
  EXPECT_GE(bytes_sent(2, kTokens, {.stages = 2}), kTokens * 2 * row);
  EXPECT_LE(bytes_sent(2, kTokens, {.stages = 2}), kTokens * (2 * row + kMostOfOrder));
}

INSTANTIATE_TEST_SUITE_P(Models, RanksBytesTest, testing::Values("llama_gqa", "qwen3"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Models, RanksGoldenTest,
                         testing::ValuesIn(test::golden_names([](const Golden& g) { return !g.greedy_ids.empty(); })),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace skald
