// Shards of graphs: what each rank computes, has of weights and keeps, and how often ranks wait for each other.
#include "graph/shard.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/ops/attention.h"
#include "graph/ops/exchange_columns.h"
#include "graph/ops/expert_glu_part.h"
#include "graph/ops/mix_experts_part.h"
#include "graph/ops/sum_ranks.h"
#include "tests/support/errors.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

Graph whole(const test::SmallModel& model = {}) { return model.graph({8, 2}); }

int64_t count(const Graph& graph, const OpDef& op) {
  return std::ranges::count_if(graph.nodes(), [&](const Node& n) { return n.op == &op; });
}

int64_t weight_bytes(const Graph& graph) {
  int64_t sum = 0;
  for (const Node& n : graph.nodes())
    if (n.source == Source::kWeight) sum += n.out.tensor().bytes();
  return sum;
}

TEST(Shard, OfOneRankIsTheGraph) { EXPECT_EQ(shard(whole(), {0, 1}).size(), whole().size()); }

TEST(Shard, WaitsTwiceInALayerAndForTokensAndLogits) {
  const test::SmallModel model;
  const Graph graph = shard(whole(model), {0, 2});
  EXPECT_EQ(count(graph, op_sum_ranks), 2 * model.n_layers + 1) << "of each layer's blocks, and of the embedding";
  EXPECT_EQ(count(graph, op_exchange_columns), 1) << "the logits";
}

TEST(Shard, ExactlyAddsNothingButTableRows) {
  const Graph graph = shard(whole(), {0, 2, /*exact=*/true});
  EXPECT_EQ(count(graph, op_sum_ranks), 1);
  EXPECT_GT(count(graph, op_exchange_columns), 1);
}

TEST(Shard, HasItsPartOfTheWeights) {
  const test::SmallModel model{.d_model = 128, .d_ff = 256, .n_kv_heads = 4, .n_vocab = 128};
  const int64_t all = weight_bytes(whole(model));
  for (const size_t ranks : {2, 4}) {
    int64_t sum = 0;
    for (size_t r = 0; r < ranks; ++r) {
      const Graph graph = shard(whole(model), {r, ranks});
      const int64_t own = weight_bytes(graph);
      EXPECT_LT(static_cast<double>(own), 1.1 * static_cast<double>(all) / static_cast<double>(ranks));
      sum += own;
    }
    EXPECT_GE(sum, all);
  }
}

// 3 blocks of 256 columns do not divide over 2 ranks.
TEST(Shard, RanksHaveExpertsWhereTheirColumnsAreUneven) {
  constexpr Format kBlocks{
      .name = "blocks", .id = 12, .block = 256, .block_bytes = 144, .decode = nullptr, .encode = nullptr};
  const test::SmallModel model{.arch = "qwen3moe", .format = &kBlocks, .d_model = 256, .d_ff = 768};
  for (const size_t rank : {0, 1}) {
    const Graph graph = shard(whole(model), {rank, 2});
    EXPECT_EQ(count(graph, op_expert_glu_part), model.n_layers);
    EXPECT_EQ(count(graph, op_mix_experts_part), model.n_layers);
    const auto mix = std::ranges::find(graph.nodes(), &op_mix_experts_part, &Node::op);
    EXPECT_EQ(graph.node(mix->inputs[1]).out.shape, (Shape{2, 256, 768})) << "of 4 experts";
  }
  EXPECT_EQ(count(shard(whole(model), {0, 3}), op_mix_experts_part), 0) << "a block each";
  EXPECT_EQ(count(shard(whole(model), {0, 2, /*exact=*/true}), op_mix_experts_part), 0);
}

TEST(Shard, AllRanksHaveStatesOfOneSize) {
  const test::SmallModel model{.n_heads = 6, .n_kv_heads = 3};
  std::vector<StateSpec> first;
  for (size_t r = 0; r < 2; ++r) {
    const Graph graph = shard(whole(model), {r, 2});
    if (r == 0) first = graph.states;
    EXPECT_EQ(graph.states, first);
  }
  EXPECT_EQ(std::get<AttentionState>(first[0]).n_kv_heads, 2) << "of the rank with the most";
}

TEST(Shard, EachHeadKnowsItsNumberForAlibi) {
  const Graph graph = shard(whole({.arch = "mpt"}), {1, 2});
  const Graph one = whole({.arch = "mpt"});
  const auto find = [](const Graph& g) {
    return std::ranges::find_if(g.nodes(), [](const Node& n) { return n.op == &op_attention; })->attrs.get<Attention>();
  };
  EXPECT_EQ(find(graph).slope(0), find(one).slope(find(one).n_heads / 2));
}

TEST(Shard, RanksHaveTheSameExchangesInTheSameOrder) {
  for (const Family* family : families()) {
    if (family->arch == "t5encoder") continue;
    const auto waits = [&](size_t rank) {
      std::vector<std::string> out;
      const Graph graph = shard(whole({.arch = std::string(family->arch)}), {rank, 3});
      for (const Node& n : graph.nodes())
        if (n.op == &op_sum_ranks ||
            (n.op == &op_exchange_columns && n.attrs.get<ExchangeColumns>().plan->peers().size() > 1))
          out.push_back(n.name);
      return out;
    };
    EXPECT_EQ(waits(0), waits(1)) << family->arch;
    EXPECT_EQ(waits(0), waits(2)) << family->arch;
  }
}

TEST(Shard, RefusesFixedShapes) {
  StepCapacity capacity{8, 2};
  capacity.past = 32;
  capacity.past_format = &format_f32;
  const Graph graph = test::SmallModel{}.graph(capacity);
  EXPECT_EQ(test::error_of([&] { shard(graph, {0, 2}); }).code(), Errc::kUnsupported);
}

}  // namespace
}  // namespace skald
