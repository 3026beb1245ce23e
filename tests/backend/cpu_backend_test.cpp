// Whole models on the CPU: results do not depend on threads, on neighbours in the batch, or on how the prompt is cut.
#include "backend/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include <map>

#include "base/cpu_affinity.h"
#include "kernels/api/tier.h"
#include "quant/registry.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/tiers.h"
#include "tests/support/told.h"

namespace skald {
namespace {

using test::SmallModel;
using Tokens = std::vector<TokenId>;

std::vector<SmallModel> models() {
  std::vector<SmallModel> out = {{.arch = "qwen2", .tied = true}, {.window = 5}};
  for (const char* type : {"f32", "f16", "bf16", "q8_0", "q4_0", "q4_k", "q6_k", "iq3_s"})
    out.push_back(SmallModel::of(*find_format(std::string_view(type))));
  return out;
}

std::string text(const SmallModel& m) { return m.arch + " " + std::string(m.format->name) + (m.window ? ", window" : ""); }

CacheOptions f32_cache() { return {.n_ctx = 1024, .type_k = "f32", .type_v = "f32"}; }

TEST(CpuBackend, ResultsAreTheSameWithAnyNumberOfThreads) {
  for (const SmallModel& m : models()) {
    const auto model = test::load(m);
    const Tokens tokens = test::some_tokens(187, 1, m.n_vocab);  // enough for row-wise operations to fork
    std::vector<float> one;
    for (int threads : {1, 2, 3}) {
      CpuBackend backend(threads, {});
      Runner runner(model->step_model(), backend, f32_cache());
      const std::vector<float> logits = test::logits_of(runner, tokens, 186, 186);
      if (threads == 1) one = logits;
      EXPECT_TRUE(test::same_bits(logits, one)) << text(m) << ", " << threads << " threads";
    }
  }
}

TEST(CpuBackend, TakesThreadsForPromptsAndOthersForFewRows) {
  const auto model = test::load({});
  CpuBackend backend(ThreadPlan{.threads = 2, .threads_batch = 3}, {});
  EXPECT_EQ(backend.info().threads, 2);
  EXPECT_EQ(backend.info().threads_batch, 3);
  Runner runner(model->step_model(), backend, f32_cache());
  for (const auto& [rows, threads] : {std::pair<int64_t, int>{1, 2}, {8, 2}, {9, 3}, {100, 3}, {1, 2}}) {
    test::logits_of(runner, test::some_tokens(rows, 1, 101), rows, rows);
    EXPECT_EQ(backend.pool().size(), threads) << rows << " rows";
  }
}

TEST(CpuBackend, ComputesTheSameWithAnyThreadsForPrompts) {
  const auto model = test::load({});
  const Tokens tokens = test::some_tokens(187, 1, 101);
  std::vector<float> want;
  for (const ThreadPlan& plan :
       {ThreadPlan{1, 1}, ThreadPlan{1, 3}, ThreadPlan{3, 1}, ThreadPlan{2, 4, {thread_affinity()}}}) {
    CpuBackend backend(plan, {});
    Runner runner(model->step_model(), backend, f32_cache());
    const std::vector<float> logits = test::logits_of(runner, tokens, 100, 180);
    if (want.empty()) want = logits;
    EXPECT_TRUE(test::same_bits(logits, want)) << plan.threads << ", " << plan.threads_batch << " threads";
  }
}

TEST(CpuBackend, LeavesTheCallersAffinityAsItWas) {
  if (!test::tells_affinity()) GTEST_SKIP() << "the system does not tell where threads run";
  const CpuList before = thread_affinity();
  const auto model = test::load({});
  CpuBackend backend(ThreadPlan{2, 2, {{before.back()}}}, {});
  Runner runner(model->step_model(), backend, f32_cache());
  test::logits_of(runner, test::some_tokens(3, 1, 101), 3, 3);
  EXPECT_EQ(thread_affinity(), before);
}

// Prefill chunks and decode steps of other sequences in the same step, before and after the one in question.
class Ragged : public testing::TestWithParam<const Tier*> {
 protected:
  void SetUp() override {
    if (!GetParam()->supported()) GTEST_SKIP() << "this CPU lacks " << GetParam()->name;
  }
};

TEST_P(Ragged, ARowsResultIsTheSameAloneAndAmongOthers) {
  for (const SmallModel& m : models()) {
    const auto model = test::load(m);
    CpuBackend backend(2, GetParam()->name);
    Runner runner(model->step_model(), backend, {.n_ctx = 1024, .type_k = "f16", .type_v = "f16"}, {.n_parallel = 3});
    const Tokens tokens = test::some_tokens(24, 1, m.n_vocab), before = test::some_tokens(17, 2, m.n_vocab),
                 after = test::some_tokens(80, 3, m.n_vocab);
    const std::vector<float> alone = test::logits_of(runner, tokens, 24, 24);

    KvSequence a = runner.new_sequence(), b = runner.new_sequence(), c = runner.new_sequence();
    std::vector<float> among;
    const auto step = [&](int64_t from, int64_t n, int64_t n_before, int64_t n_after) {
      std::vector<StepItem> items;
      const auto part = [](const Tokens& t, int64_t at, int64_t count) {
        return std::span(t).subspan(static_cast<size_t>(at), static_cast<size_t>(count));
      };
      if (n_before) items.push_back({&b, part(before, b.length(), n_before), 1});
      items.push_back({&a, part(tokens, from, n), n});
      if (n_after) items.push_back({&c, part(after, c.length(), n_after), 0});
      const Logits logits = runner.run(items);
      const float* mine = logits.row(n_before ? 1 : 0).data();
      among.insert(among.end(), mine, mine + n * m.n_vocab);
    };
    step(0, 5, 3, 0);
    step(5, 1, 1, 70);
    step(6, 13, 0, 1);
    step(19, 1, 7, 9);
    step(20, 4, 1, 0);
    EXPECT_TRUE(test::same_bits(among, alone)) << text(m);
  }
}

TEST_P(Ragged, HowThePromptIsCutDoesNotMatter) {
  for (const SmallModel& m : models()) {
    const auto model = test::load(m);
    CpuBackend backend(1, GetParam()->name);
    Runner runner(model->step_model(), backend, f32_cache());
    const Tokens tokens = test::some_tokens(70, 4, m.n_vocab);
    const std::vector<float> whole = test::logits_of(runner, tokens, 70, 70);
    EXPECT_TRUE(test::same_bits(test::logits_of(runner, tokens, 7, 70), whole)) << text(m);
    EXPECT_TRUE(test::same_bits(test::logits_of(runner, tokens, 70, 30), whole)) << text(m);
  }
}

TEST_P(Ragged, AgreesWithTheReferenceTier) {
  for (const SmallModel& m : models()) {
    const auto model = test::load(m);
    const Tokens tokens = test::some_tokens(20, 5, m.n_vocab);
    std::map<std::string_view, std::vector<float>> logits;
    for (const std::string_view tier : {std::string_view("scalar"), std::string_view(GetParam()->name)}) {
      CpuBackend backend(1, tier);
      Runner runner(model->step_model(), backend, f32_cache());
      logits[tier] = test::logits_of(runner, tokens, 20, 20);
    }
    // Quantised activations fall on other sides of a rounding step when the sums before them differ in the last bit.
    const double limit = m.format->block > 1 || m.format->name == "bf16" ? 0.15 : m.format->name == "f16" ? 5e-3 : 2e-4;
    EXPECT_TRUE(test::close_to(logits[GetParam()->name], logits["scalar"], limit)) << text(m);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Ragged, testing::ValuesIn(tiers()), test::tier_name);

// With a window, keys that have left it do not matter.
TEST(CpuBackend, AWindowForgetsWhatIsBeforeIt) {
  const SmallModel m{.window = 5, .n_layers = 1};
  const auto model = test::load(m);
  CpuBackend backend(1, {});
  Runner runner(model->step_model(), backend, f32_cache());
  Tokens tokens = test::some_tokens(20, 6, m.n_vocab);
  const std::vector<float> before = test::logits_of(runner, tokens, 20, 20);
  tokens[10] = (tokens[10] + 1) % static_cast<TokenId>(m.n_vocab);
  const std::vector<float> after = test::logits_of(runner, tokens, 20, 20);
  const auto row = [&](const std::vector<float>& logits, int64_t r) {
    return std::span(logits).subspan(static_cast<size_t>(r * m.n_vocab), static_cast<size_t>(m.n_vocab));
  };
  for (int64_t r : {0, 9, 15, 19}) EXPECT_TRUE(test::same_bits(row(after, r), row(before, r))) << r;
  for (int64_t r : {10, 12, 14}) EXPECT_FALSE(test::same_bits(row(after, r), row(before, r))) << r;
}

TEST(CpuBackend, ProfilesEveryOperation) {
  const auto model = test::load({});
  CpuBackend backend(1, {});
  Runner runner(model->step_model(), backend, f32_cache());
  KvSequence sequence = runner.new_sequence();
  const Tokens tokens = test::some_tokens(3, 7, 101);
  Profile profile;
  const StepItem item{&sequence, tokens, 1};
  runner.profile(&profile);
  runner.run({&item, 1});
  const Graph& graph = runner.program(3, 1).graph();
  const auto works = [](const Node& n) { return n.source == Source::kOp && !n.op->view_from; };
  EXPECT_EQ(profile.total().calls, std::ranges::count_if(graph.nodes(), works));
  EXPECT_DOUBLE_EQ(profile.total().flops, cost_of(graph, runner.last_stats()).flops);
  EXPECT_GT(profile.total().seconds, 0);
}

TEST(CpuBackend, RefusesAnUnknownTier) {
  EXPECT_EQ(test::error_of([] { CpuBackend(1, "avx9000"); }).code(), Errc::kBadInput);
}

}  // namespace
}  // namespace skald
