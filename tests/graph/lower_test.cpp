#include "graph/lower.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "graph/ops/glu.h"
#include "graph/ops/linear.h"
#include "graph/ops/rms_norm.h"
#include "tests/support/errors.h"
#include "tests/support/graphs.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

using Names = std::vector<std::string>;

auto without(std::set<std::string_view> denied) {
  return [=](const Graph&, const Node& node) { return !denied.contains(node.op->name); };
}

TEST(Lower, LeavesASupportedGraphAsItIs) {
  const Graph g = test::SmallModel{}.graph({8, 2}), same = lower(g, without({}));
  ASSERT_EQ(same.size(), g.size());
  EXPECT_EQ(same.output(), g.output());
  EXPECT_EQ(same.states, g.states);
  for (int i = 0; i < g.size(); ++i) {
    EXPECT_EQ(same.node(i).name, g.node(i).name);
    EXPECT_EQ(same.node(i).op, g.node(i).op);
    EXPECT_EQ(same.node(i).inputs, g.node(i).inputs);
    EXPECT_TRUE(same.node(i).attrs.same_as(g.node(i).attrs));
  }
}

TEST(Lower, KeepsTheOrderOfBoundValues) {
  const Graph g = test::SmallModel{}.graph({.past = 9, .past_format = &format_f32});
  const Graph small = lower(g, without({"rms_norm", "glu"}));
  ASSERT_EQ(small.bound.size(), g.bound.size());
  for (size_t i = 0; i < g.bound.size(); ++i) EXPECT_EQ(small.node(small.bound[i]).name, g.node(g.bound[i]).name);
}

TEST(Lower, ExpandsRmsNorm) {
  Graph g;
  g.give(g.add(op_rms_norm, Attrs(RmsNorm{1e-6f}), {test::matrix(g, 4, 8), test::weight(g, Shape{8})}, "norm").id);
  const Graph small = lower(g, without({"rms_norm"}));
  EXPECT_EQ(test::op_names(small), (Names{"mul", "mean", "rsqrt", "mul", "mul"}));
  EXPECT_EQ(small.node(small.output()).out.shape, (Shape{4, 8}));
}

TEST(Lower, ExpandsGatedUnits) {
  Graph g;
  g.give(glu(test::matrix(g, 4, 8), test::matrix(g, 4, 8), Activation::kGelu).id);
  const Graph small = lower(g, without({"glu"}));
  EXPECT_EQ(test::op_names(small), (Names{"activation", "mul"}));
  EXPECT_EQ(small.output(), small.size() - 1);
}

TEST(Lower, ExpandsWholeModels) {
  const Graph g = test::SmallModel{}.graph({8, 2});
  const Graph small = lower(g, without({"rms_norm", "glu"}));
  EXPECT_EQ(test::count_ops(small, "rms_norm") + test::count_ops(small, "glu"), 0);
  EXPECT_EQ(test::count_ops(small, "rsqrt"), 5);
  EXPECT_EQ(test::count_ops(small, "linear"), test::count_ops(g, "linear"));
  EXPECT_EQ(small.states, g.states);
  EXPECT_EQ(small.node(small.output()).name, g.node(g.output()).name);
}

// An expansion's own operations are expanded in turn.
TEST(Lower, ExpandsExpansions) {
  constexpr OpDef kTwice{.name = "twice_glu",
                         .infer = [](const Attrs&, std::span<const ValueDesc> in) { return in[0]; },
                         .expand =
                             [](Graph&, const Attrs&, std::span<const Tensor> in) {
                               return glu(glu(in[0], in[1], Activation::kSilu), in[1], Activation::kSilu);
                             },
                         .cost = streaming_cost,
                         .describe = nullptr};
  Graph g;
  g.give(g.add(kTwice, Attrs(NoAttrs{}), {test::matrix(g, 4, 8), test::matrix(g, 4, 8)}).id);
  EXPECT_EQ(test::op_names(lower(g, without({"twice_glu", "glu"}))), (Names{"activation", "mul", "activation", "mul"}));
}

TEST(Lower, NamesWhatCannotBeExpanded) {
  const Graph g = test::SmallModel{}.graph({8, 2});
  const Error e = test::error_of([&] { lower(g, without({"attention", "softmax"})); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_NE(std::string(e.what()).find("softmax"), std::string::npos) << e.what();
}

}  // namespace
}  // namespace skald
