// Products with sums over ranks after them, whose rows are added up while others are computed.
#include "backend/cpu/sum_pairs.h"

#include <gtest/gtest.h>

#include "graph/ops/linear.h"
#include "graph/ops/sum_ranks.h"
#include "graph/shard.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

Graph shard_for(int64_t rows, int64_t d_model = 1024) {
  return shard(test::SmallModel{.n_layers = 2, .d_model = d_model, .d_ff = 512}.graph({rows, 1}), {0, 2});
}

TEST(SumPairs, AreBothProductsOfALayerThatAreAddedUp) {
  const Graph graph = shard_for(512);
  const std::vector<NodeRange> pairs = sum_pairs(graph);
  EXPECT_EQ(pairs.size(), 4) << "two of each layer";
  for (const NodeRange& pair : pairs) {
    EXPECT_EQ(graph.node(pair.first).op, &op_linear);
    EXPECT_EQ(graph.node(pair.last).op, &op_sum_ranks);
    EXPECT_EQ(graph.node(pair.last).inputs[0], pair.first);
  }
}

TEST(SumPairs, AreNoneOfStepsOfFewRows) {
  EXPECT_TRUE(sum_pairs(shard_for(16)).empty());
  EXPECT_TRUE(sum_pairs(shard_for(512, 96)).empty());
}

TEST(SumPairs, AddUpAFewPartsOfManyRows) {
  EXPECT_EQ(rows_of_sum(512, 2048), 128);
  EXPECT_EQ(rows_of_sum(500, 1024), 192) << "3 parts, in whole blocks of 32";
  EXPECT_EQ(rows_of_sum(2048, 4096), 512) << "at most 4";
  EXPECT_EQ(rows_of_sum(16, 4096), 16) << "at once";
  EXPECT_EQ(rows_of_sum(0, 4096), 0);
}

}  // namespace
}  // namespace skald
