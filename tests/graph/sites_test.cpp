#include "graph/sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/net.h"

namespace skald {
namespace {

using testing::ElementsAre;
using testing::Key;
using testing::Pair;

// A net over weights that are there as they are wanted, but for the names in `absent`.
Graph graph_of(void (*build)(Net& net), const std::string& absent = "") {
  Graph graph;
  Net net(graph,
          [&](std::string_view name, const Shape* want) -> std::optional<TensorDesc> {
            if (!want || name == absent || name.ends_with(".bias") || name.ends_with(".scale")) return {};
            return TensorDesc{&format_f32, *want};
          },
          {.tokens = 2, .outputs = 1});
  build(net);
  return graph;
}

TEST(Sites, AreTheMatricesThatRowsAreMultipliedBy) {
  const Graph graph = graph_of([](Net& net) {
    const Tensor x = net.rms_norm("norm", net.embed("token_embd", 10, 8), 1e-5f);
    net.linear("up", net.linears({{"q", 4}, {"k", 2}}, x)[0], 6);
  });
  EXPECT_THAT(sites_of(graph), ElementsAre(Key("k.weight"), Key("q.weight"), Key("token_embd.weight"), Key("up.weight")));
  EXPECT_TRUE(sites_of(graph).at("token_embd.weight").table);
  EXPECT_EQ(sites_of(graph).at("q.weight").shape, (Shape{4, 8}));
  EXPECT_FALSE(sites_of(graph).at("q.weight").table);
}

TEST(Sites, HaveTheTiedOutputByANameOfItsOwn) {
  const Graph graph = graph_of([](Net& net) { net.unembed("output", net.embed("token_embd", 10, 8), 10); }, "output.weight");
  const std::map<std::string, Site> sites = sites_of(graph);
  EXPECT_THAT(sites, ElementsAre(Key("output.weight"), Key("token_embd.weight")));
  EXPECT_FALSE(sites.at("output.weight").table);
}

TEST(Sites, HaveTheExpertsOfALayerInOneShape) {
  const Graph graph = graph_of([](Net& net) {
    const Tensor x = net.embed("token_embd", 10, 8);
    const Tensor ids = net.choose_experts(net.linear("router", x, 4), {.k = 2}, "none");
    const Tensor weights = net.weigh_experts(net.linear("router", x, 4), ids, {});
    net.mix_experts("down", net.expert_glu_linear("gate", "up", x, ids, 4, 6, Activation::kSilu), ids, weights, 4, 8);
  });
  EXPECT_EQ(sites_of(graph).at("gate.weight").shape, (Shape{4, 6, 8}));
  EXPECT_EQ(sites_of(graph).at("down.weight").shape, (Shape{4, 8, 6}));
}

}  // namespace
}  // namespace skald
