#include "graph/row_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_model.h"

namespace skald::row_tables_test {

static std::vector<std::string> names(const test::SmallModel& model) {
  const Graph graph = model.graph({8, 2});
  std::vector<std::string> out;
  for (const int id : row_tables(graph)) out.push_back(graph.node(id).name);
  return out;
}

TEST(RowTables, AreTheEmbeddingsThatNoMatmulReads) {
  EXPECT_THAT(names({.tied = false}), testing::ElementsAre("token_embd.weight"));
  EXPECT_THAT(names({.tied = true}), testing::ElementsAre());
}

TEST(RowTables, AreTheEmbeddingsOfLayersToo) {
  EXPECT_THAT(names({.arch = "gemma4", .tied = true}), testing::ElementsAre("per_layer_token_embd.weight"));
}

}  // namespace skald::row_tables_test
