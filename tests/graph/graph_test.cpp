#include "graph/graph.h"

#include <gtest/gtest.h>

#include "graph/ops/activation.h"
#include "graph/ops/linear.h"
#include "graph/ops/rope_table.h"
#include "tests/support/errors.h"
#include "tests/support/graphs.h"

namespace skald {
namespace {

using test::matrix;
using test::weight;

TEST(Graph, FindsNodesByNameAndSource) {
  Graph g;
  const Tensor x = g.input("a", {&format_f32, Shape{2, 4}, Rows::kTokens});
  const Tensor w = g.weight("a", {&format_f32, Shape{4}});
  EXPECT_EQ(g.find(Source::kInput, "a"), x.id);
  EXPECT_EQ(g.find(Source::kWeight, "a"), w.id);
  EXPECT_EQ(g.find(Source::kOp, "a"), -1);
  EXPECT_EQ(g.find(Source::kInput, "b"), -1);
}

TEST(Graph, ErrorsNameTheOperationAndTheNode) {
  Graph g;
  const Tensor x = matrix(g, 2, 8), w = weight(g, Shape{3, 9});
  const int before = g.size();
  const Error named = test::error_of([&] { g.add(op_linear, Attrs(NoAttrs{}), {x, w}, "blk.3.attn_q"); });
  EXPECT_EQ(named.code(), Errc::kBadInput);
  EXPECT_STREQ(named.what(), "linear (blk.3.attn_q): weight: want rows of 8, got (3, 9)");
  const Error plain = test::error_of([&] { g.add(op_linear, Attrs(NoAttrs{}), {x, w}); });
  EXPECT_STREQ(plain.what(), "linear: weight: want rows of 8, got (3, 9)");
  EXPECT_EQ(g.size(), before) << "nothing is left of a node that failed";
}

TEST(Graph, SumsAndProductsBroadcastRowsAndColumns) {
  Graph g;
  const Tensor x = matrix(g, 4, 6), same = matrix(g, 4, 6), row = weight(g, Shape{6}), column = matrix(g, 4, 1);
  for (const Tensor b : {same, row, column}) {
    EXPECT_EQ((x + b).desc().shape, (Shape{4, 6}));
    EXPECT_EQ((x * b).desc().shape, (Shape{4, 6}));
    EXPECT_EQ((x * b).desc().rows, Rows::kTokens);
  }
  EXPECT_EQ(test::count_ops(g, "add"), 3);
  EXPECT_EQ(test::count_ops(g, "mul"), 6);
}

TEST(Graph, SumsAndProductsRefuseOtherShapes) {
  Graph g;
  const Tensor x = matrix(g, 4, 6);
  for (const Tensor b : {matrix(g, 4, 5), matrix(g, 3, 6), matrix(g, 3, 1), matrix(g, 4, 6, Rows::kOutputs),
                         matrix(g, 4, 1, Rows::kOutputs), weight(g, Shape{5}), weight(g, Shape{4, 6})}) {
    const Error sum = test::error_of([&] { x + b; });
    EXPECT_TRUE(std::string(sum.what()).starts_with("add: shapes (4, 6) and ")) << sum.what();
    const Error product = test::error_of([&] { x* b; });
    EXPECT_TRUE(std::string(product.what()).starts_with("mul: shapes (4, 6) and ")) << product.what();
  }
}

TEST(Graph, AddOnceReusesAnEqualNode) {
  Graph g;
  const Tensor positions = g.input("positions", {&format_i32, Shape{4}, Rows::kTokens});
  const Tensor others = g.input("others", {&format_i32, Shape{4}, Rows::kTokens});
  const RopeTable table{.dims = 8}, wider{.dims = 16};
  const auto once = [&](Tensor in, const RopeTable& t) { return g.add_once(op_rope_table, Attrs(t), {&in, 1}).id; };
  const int first = once(positions, table);
  EXPECT_EQ(once(positions, table), first);
  EXPECT_NE(once(others, table), first);
  EXPECT_NE(once(positions, wider), first);
  EXPECT_EQ(test::count_ops(g, "rope_table"), 3);
  EXPECT_NE(activation(matrix(g, 4, 8), Activation::kSilu).id, first);
}

}  // namespace
}  // namespace skald
