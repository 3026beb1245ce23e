// Stages: runs of a model's layers with about the same work.
#include "graph/stages.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/split.h"
#include "tests/support/errors.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

// The stage of each layer, and first that of what lies outside of layers.
std::vector<size_t> stages(const test::SmallModel& model, size_t n) {
  const Graph graph = model.graph({8, 2});
  const std::vector<size_t> of = stages_of(graph, n);
  std::vector<size_t> out(static_cast<size_t>(model.n_layers) + 1);
  for (int id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.source != Source::kOp || node.name.empty()) continue;
    const std::string_view layer = layer_of_name(node.name);
    const size_t at = layer.empty() ? 0 : std::stoul(std::string(layer.substr(layer.find('.') + 1))) + 1;
    out[at] = of[static_cast<size_t>(id)];
  }
  return out;
}

TEST(Stages, AreRunsOfLayersOfEqualSize) {
  EXPECT_EQ(stages({.n_layers = 4}, 2), (std::vector<size_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(stages({.n_layers = 6}, 3), (std::vector<size_t>{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(stages({.n_layers = 3}, 3), (std::vector<size_t>{0, 0, 1, 2}));
}

TEST(Stages, TheFirstOneHasFewerLayersWhereTheOutputIsLarge) {
  EXPECT_EQ(stages({.n_layers = 4, .n_vocab = 2000}, 2), (std::vector<size_t>{0, 0, 1, 1, 1}));
}

TEST(Stages, OneTakesAll) { EXPECT_EQ(stages({.n_layers = 2}, 1), (std::vector<size_t>{0, 0, 0})); }

TEST(Stages, NeedALayerEach) {
  const Error error = test::error_of([] { stages({.n_layers = 2}, 3); });
  EXPECT_EQ(error.code(), Errc::kUnsupported);
  EXPECT_STREQ(error.what(), "pipeline_parallel: the model has 2 layers that can be apart: want as many stages or fewer");
}

TEST(Stages, ShareTheWeights) {
  const Graph graph = test::SmallModel{.n_layers = 4}.graph({8, 2});
  const std::vector<size_t> of = stages_of(graph, 2);
  const auto weights = [](const Graph& g) { return std::ranges::count(g.nodes(), Source::kWeight, &Node::source); };
  EXPECT_EQ(weights(share_of(graph, of, 0)) + weights(share_of(graph, of, 1)), weights(graph));
}

}  // namespace
}  // namespace skald
