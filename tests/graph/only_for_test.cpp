// A graph for one of its values: with the nodes that it needs, and no others.
#include "graph/only_for.h"

#include <gtest/gtest.h>

#include "tests/support/graphs.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

TEST(OnlyFor, TheStatesOfAModelLeavesOutLogits) {
  const test::SmallModel model{.n_layers = 2};
  const Graph whole = model.graph({8, 2}), states = only_for(whole, output_names::kStates);
  const Node& last = states.node(states.output(output_names::kStates));
  EXPECT_EQ(last.name, "output_norm");
  EXPECT_EQ(last.out.shape, (Shape{2, model.d_model}));
  EXPECT_EQ(states.outputs().size(), 1u);
  EXPECT_GE(whole.find(Source::kWeight, "output.weight"), 0);
  EXPECT_EQ(states.find(Source::kWeight, "output.weight"), -1);
  EXPECT_EQ(states.size(), whole.size() - 2) << "the weight and the product with it";
  EXPECT_EQ(states.states, whole.states);
  EXPECT_EQ(states.step_inputs().size(), whole.step_inputs().size());
}

TEST(OnlyFor, KeepsTheOrderOfReading) {
  const test::SmallModel model{.arch = "bert"};
  EXPECT_FALSE(only_for(model.graph({8, 2}), output_names::kStates).causal);
}

}  // namespace
}  // namespace skald
