#include "graph/pick_early.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/ops/linear.h"
#include "graph/ops/pick_rows.h"
#include "graph/ops/rms_norm.h"
#include "graph/ops/rope_table.h"
#include "tests/support/graphs.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

using Names = std::vector<std::string>;

Tensor rows_of_outputs(Graph& g) { return g.input("rows", {&format_i32, Shape{2}, Rows::kOutputs}); }
Tensor tokens(Graph& g) { return test::matrix(g, 4, 8); }
Tensor pick(Tensor x, Tensor rows) { return x.graph->add(op_pick_rows, Attrs(NoAttrs{}), {x, rows}, "output_rows"); }
Tensor norm(Tensor x) {
  return x.graph->add(op_rms_norm, Attrs(RmsNorm{1e-6f}), {x, test::weight(*x.graph, Shape{x.cols()})}, "norm");
}
Tensor linear(Tensor x, int64_t n) {
  return x.graph->add(op_linear, Attrs(NoAttrs{}), {x, test::weight(*x.graph, Shape{n, x.cols()})}, "linear");
}

TEST(PickEarly, MovesOverOperationsByRows) {
  Graph g;
  const Tensor rows = rows_of_outputs(g);
  g.give(pick(linear(norm(tokens(g)), 8), rows).id);
  const Graph early = pick_early(g);
  EXPECT_EQ(test::op_names(early), (Names{"pick_rows", "rms_norm", "linear"}));
  EXPECT_EQ(early.node(early.output()).out.shape, (Shape{2, 8}));
  EXPECT_EQ(early.node(early.output()).out.rows, Rows::kOutputs);
}

TEST(PickEarly, PicksAValueOnceForAllItsUsers) {
  Graph g;
  const Tensor rows = rows_of_outputs(g), x = tokens(g);
  g.give(pick(x + linear(x, 8), rows).id);
  EXPECT_EQ(test::op_names(pick_early(g)), (Names{"pick_rows", "linear", "add"}));
}

TEST(PickEarly, LeavesWhatIsNeededWholeAsItIs) {
  Graph g;
  const Tensor rows = rows_of_outputs(g), shared = norm(tokens(g));
  g.give(pick(linear(shared, 8), rows).id);
  g.bound.push_back(shared.id);
  const Graph early = pick_early(g);
  EXPECT_EQ(test::op_names(early), (Names{"rms_norm", "pick_rows", "linear"}));
  EXPECT_EQ(early.node(early.bound[0]).out.shape, (Shape{4, 8}));
}

TEST(PickEarly, StopsAtOperationsThatAreNotByRows) {
  Graph g;
  const Tensor rows = rows_of_outputs(g), positions = g.input("positions", {&format_i32, Shape{4}, Rows::kTokens});
  const Tensor table = g.add(op_rope_table, Attrs(RopeTable{.dims = 8}), {positions}, "rope");
  g.give(pick(norm(table), rows).id);
  EXPECT_EQ(test::op_names(pick_early(g)), (Names{"rope_table", "pick_rows", "rms_norm"}));
}

TEST(PickEarly, StopsWhereTheRowsAreNotKnownYet) {
  Graph g;
  const Tensor x = norm(tokens(g)), rows = rows_of_outputs(g);
  g.give(pick(linear(x, 8), rows).id);
  EXPECT_EQ(test::op_names(pick_early(g)), (Names{"rms_norm", "pick_rows", "linear"}));
}

TEST(PickEarly, AGraphThatPicksNothingStaysAsItIs) {
  Graph g;
  g.give(linear(norm(tokens(g)), 8).id);
  EXPECT_EQ(test::op_names(pick_early(g)), (Names{"rms_norm", "linear"}));
}

TEST(PickEarly, TheLastLayerAfterItsAttentionIsOfWantedRows) {
  const Graph g = pick_early(test::SmallModel{}.graph({8, 2}));
  int last_attention = -1;
  for (int id = 0; id < g.size(); ++id)
    if (g.node(id).source == Source::kOp && g.node(id).op->name == "attention") last_attention = id;
  ASSERT_GE(last_attention, 0);
  for (int id = last_attention + 1; id < g.size(); ++id) {
    const Node& node = g.node(id);
    const bool is_op = node.source == Source::kOp;
    EXPECT_TRUE(!is_op || node.out.rows == Rows::kOutputs) << node.name;
  }
  EXPECT_EQ(g.states, test::SmallModel{}.graph({8, 2}).states);
}

}  // namespace
}  // namespace skald
