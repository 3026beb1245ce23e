// Rows whose logits are wanted alone: layers after the last keys compute no others, and each row keeps its bits.
#include <gtest/gtest.h>

#include "stepping/compute.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/loaded_small_model.h"

namespace skald::wanted_rows_test {
namespace {

using test::Golden;

class WantedRows : public testing::TestWithParam<std::tuple<std::string, bool>> {
 protected:
  using Outputs = std::array<int64_t, 2>;

  // Of the last rows of two sequences that share each step.
  std::vector<std::vector<float>> logits(const LoadedModel& model, const Golden& golden, Outputs wanted) const {
    Compute compute(model, {.device = {.n_threads = 2, .fused = std::get<1>(GetParam())},
                            .cache = {.n_ctx = 256},
                            .schedule = {.n_parallel = 2}});
    Runner& runner = compute.runner();
    KvSequence a = runner.new_sequence(), b = runner.new_sequence();
    const std::span<const TokenId> ids = golden.long_ids;
    const std::array<StepItem, 2> prompts{{{&a, ids.first(90), 1}, {&b, ids.subspan(90, 70), 0}}};
    runner.run(prompts);
    const std::array<StepItem, 2> items{{{&a, ids.subspan(90, 30), wanted[0]}, {&b, ids.first(20), wanted[1]}}};
    const Logits out = runner.run(items);
    std::vector<std::vector<float>> rows;
    for (int64_t row = 0; row < wanted[0] + wanted[1]; ++row) rows.emplace_back(out.row(row).begin(), out.row(row).end());
    return rows;
  }
};

TEST_P(WantedRows, HaveTheBitsThatTheyHaveAmongAll) {
  const Golden golden{test::data_dir() / "golden" / std::get<0>(GetParam())};
  const auto model = golden.load();
  const auto all = logits(*model, golden, {30, 20});
  for (const Outputs wanted : {Outputs{1, 1}, {6, 0}, {0, 3}, {5, 20}}) {
    const auto some = logits(*model, golden, wanted);
    for (int64_t i = 0; i < wanted[0] + wanted[1]; ++i) {
      const int64_t among = i < wanted[0] ? 30 - wanted[0] + i : 50 - wanted[1] + i - wanted[0];
      EXPECT_TRUE(test::same_bits(some[static_cast<size_t>(i)], all[static_cast<size_t>(among)]))
          << wanted[0] << " and " << wanted[1] << " rows, row " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WantedRows,
    testing::Combine(testing::Values("llama_gqa", "gemma3", "gptoss", "gemma4", "gemma3n", "deepseek32", "qwen35", "bloom"),
                     testing::Bool()),
    [](const auto& test) { return std::get<0>(test.param) + (std::get<1>(test.param) ? "_fused" : "_plain"); });

TEST(WantedRows, LayersThatKeepNoKeysComputeNoOthers) {
  const Golden golden{test::data_dir() / "golden/gemma4"};
  const auto model = golden.load();
  const Graph graph = model->build_graph({.tokens = 16, .outputs = 2, .keys = 256});
  for (const Node& node : graph.nodes()) {
    if (layer_of_name(node.name) != "blk.2" && layer_of_name(node.name) != "blk.3") continue;
    if (node.source == Source::kOp) {
      EXPECT_NE(node.out.rows, Rows::kTokens) << node.name;
    }
  }
}

}  // namespace
}  // namespace skald::wanted_rows_test
