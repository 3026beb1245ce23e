// Steering: later layers read a layer's output plus its vector, in every architecture whose layers have one output.
#include "graph/steer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "graph/ops/binary.h"
#include "graph/ops/linear.h"
#include "graph/ops/rms_norm.h"
#include "graph/pick_early.h"
#include "tests/support/errors.h"
#include "tests/support/graphs.h"
#include "tests/support/small_model.h"

namespace skald::steer_test {
namespace {

constexpr int64_t kColumns = 8;

std::vector<int64_t> layers_from(int64_t first, int64_t end) {
  std::vector<int64_t> out;
  for (int64_t i = first; i < end; ++i) out.push_back(i);
  return out;
}

Tensor norm(Tensor x, const std::string& name) {
  return x.graph->add(op_rms_norm, Attrs(RmsNorm{1e-6f}), {x, test::weight(*x.graph, Shape{x.cols()})}, name);
}

// The vector that is added to the first input of a node; empty where there is none.
std::string vector_of(const Graph& g, const Node& reader) {
  const Node& sum = g.node(reader.inputs.front());
  if (sum.op != &op_add || g.node(sum.inputs[1]).source != Source::kWeight) return {};
  return g.node(sum.inputs[1]).name;
}

// Of each operation with a name, the vector that its first input comes with.
std::map<std::string, std::string> vectors(const Graph& g) {
  std::map<std::string, std::string> out;
  for (const Node& node : g.nodes())
    if (node.source == Source::kOp && !node.name.empty()) out[node.name] = vector_of(g, node);
  return out;
}

TEST(Steer, LaterLayersReadTheSumAndTheLayerItselfDoesNot) {
  Graph g;
  const Tensor x = norm(test::matrix(g, 4, kColumns), "blk.1.norm");
  const Tensor narrow = g.add(op_linear, Attrs(NoAttrs{}), {x, test::weight(g, Shape{4, kColumns})}, "blk.1.narrow");
  g.give(norm(norm(x, "blk.2.norm"), "output_norm").id);
  g.give(narrow.id, "narrow");
  const auto found = vectors(steer(g, layers_from(1, 3), kColumns));
  EXPECT_EQ(found.at("blk.1.narrow"), "");
  EXPECT_EQ(found.at("blk.2.norm"), "blk.1.control_vector");
  EXPECT_EQ(found.at("output_norm"), "blk.2.control_vector");
}

TEST(Steer, ALayerOfSeveralOutputsIsRefused) {
  Graph g;
  const Tensor x = norm(test::matrix(g, 4, kColumns), "blk.1.norm");
  g.give(norm(x, "output_norm").id);
  g.give(norm(x, "blk.1.other").id, "other");
  const Error error = test::error_of([&] { steer(g, layers_from(1, 2), kColumns); });
  EXPECT_EQ(error.code(), Errc::kUnsupported);
  EXPECT_STREQ(error.what(), "layer 1 has 2 outputs of 8 columns: want one, to which its vector is added");
}

TEST(Steer, TheLastLayerMayGiveTheOutputOfAll) {
  Graph g;
  g.give(norm(test::matrix(g, 4, kColumns), "blk.1.norm").id);
  const Graph steered = steer(g, layers_from(1, 2), kColumns);
  EXPECT_EQ(steered.node(steered.output()).op, &op_add);
}

TEST(Steer, ALayerThatIsNotThereIsRefused) {
  const test::SmallModel model{.n_layers = 2};
  EXPECT_EQ(test::error_of([&] {
              steer(model.graph({8, 2}), layers_from(2, 3), model.d_model);
            }).code(),
            Errc::kUnsupported);
}

TEST(Steer, NormsOfLaterLayersReadTheVectorsOfThoseBefore) {
  const test::SmallModel model{.n_layers = 4};
  const auto found = vectors(steer(model.graph({8, 2}), layers_from(1, 3), model.d_model));
  EXPECT_EQ(found.at("blk.1.attn_norm"), "");
  EXPECT_EQ(found.at("blk.2.attn_norm"), "blk.1.control_vector");
  EXPECT_EQ(found.at("blk.2.ffn_norm"), "");
  EXPECT_EQ(found.at("blk.3.attn_norm"), "blk.2.control_vector");
  EXPECT_EQ(found.at("output_norm"), "");
}

TEST(Steer, RowsOfTheLastLayerArePickedBeforeItsVectorIsAdded) {
  const test::SmallModel model{.n_layers = 2};
  const Graph g = pick_early(steer(model.graph({8, 2}), layers_from(1, 2), model.d_model));
  EXPECT_EQ(vectors(g).at("output_norm"), "blk.1.control_vector");
  const auto is_norm = [](const Node& node) { return node.name == "output_norm" && node.source == Source::kOp; };
  const auto last = std::ranges::find_if(g.nodes(), is_norm);
  EXPECT_EQ(g.node(last->inputs.front()).out.rows, Rows::kOutputs);
}

TEST(Steer, KeepsWhatElseAGraphSays) {
  const test::SmallModel model{.n_layers = 3};
  const Graph before = model.graph({8, 2}), after = steer(before, layers_from(1, 3), model.d_model);
  EXPECT_EQ(after.states, before.states);
  EXPECT_EQ(after.outputs().size(), before.outputs().size());
  EXPECT_EQ(after.size(), before.size() + 4) << "two vectors and two sums";
  EXPECT_EQ(vectors(steer(before, {}, model.d_model)), vectors(before));
}

// Gemma 3n has several streams, to each of which llama.cpp adds the vector.
TEST(Steer, LayersOfEveryArchitectureButOneHaveOneOutput) {
  for (const Family* family : families()) {
    const test::SmallModel model{.arch = std::string(family->arch), .n_layers = 4};
    const Graph g = model.graph({8, 2});
    if (family->arch == "gemma3n") {
      EXPECT_EQ(test::error_of([&] { steer(g, layers_from(1, 4), model.d_model); }).code(), Errc::kUnsupported);
      continue;
    }
    const Graph steered = steer(g, layers_from(0, 4), model.d_model);
    for (int64_t layer = 0; layer < 4; ++layer)
      EXPECT_GE(steered.find(Source::kWeight, control_vector_name(layer)), 0) << family->arch;
  }
}

}  // namespace
}  // namespace skald::steer_test
