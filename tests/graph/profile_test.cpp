#include "graph/profile.h"

#include <gtest/gtest.h>

#include "graph/ops/activation.h"
#include "graph/ops/linear.h"
#include "tests/support/graphs.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

TEST(Profile, NamesNodesByOperationAndFormat) {
  Graph g;
  const Tensor y = g.add(op_linear, Attrs(NoAttrs{}), {test::matrix(g, 4, 8), test::weight(g, Shape{6, 8})});
  EXPECT_EQ(profile_name(g, g.node(y.id)), "linear f32");
  EXPECT_EQ(profile_name(g, g.node((y + test::weight(g, Shape{6})).id)), "add");
  EXPECT_EQ(profile_name(g, g.node(activation(y, Activation::kSilu).id)), "activation");
}

TEST(Profile, SumsCallsTimesAndCosts) {
  Graph g;
  const Tensor x = test::matrix(g, 4, 8);
  const Tensor y = g.add(op_linear, Attrs(NoAttrs{}), {x, test::weight(g, Shape{6, 8})}),
               z = activation(y, Activation::kSilu);
  const StepStats step{.n_tokens = 2, .sequences = {}};
  Profile profile;
  profile.add(g, g.node(y.id), step, {.seconds = 0.25, .threads = 2, .waited = 0.125});
  profile.add(g, g.node(y.id), step, {.seconds = 0.5, .threads = 4, .waited = 0.5});
  profile.add(g, g.node(z.id), step, {.seconds = 1});
  const ProfileRow& linear = profile.rows.at("linear f32");
  EXPECT_EQ(linear.calls, 2);
  EXPECT_EQ(linear.seconds, 0.75);
  EXPECT_EQ(linear.thread_seconds, 2.5);
  EXPECT_EQ(linear.waited, 0.625);
  EXPECT_EQ(linear.flops, 2 * (2 * 2 * 6 * 8));
  EXPECT_EQ(linear.bytes, 2 * 4 * (2 * 8 + 2 * 6 + 6 * 8));
  const ProfileRow total = profile.total();
  EXPECT_EQ(total.calls, 3);
  EXPECT_EQ(total.seconds, 1.75);
  EXPECT_EQ(total.thread_seconds, 3.5);
  EXPECT_EQ(total.waited, 0.625);
  EXPECT_EQ(total.flops, linear.flops + profile.rows.at("activation").flops);
  EXPECT_EQ(total.bytes, linear.bytes + 2 * 4 * 2 * 6);
}

TEST(Profile, CountsTokensOfEachExpertOfEachLayer) {
  std::vector<int32_t> ids = {0, 2, 2, 1, 2, 0};
  const TensorView three{.data = reinterpret_cast<std::byte*>(ids.data()), .desc = {&format_i32, Shape{3, 2}}};
  TensorView one = three;
  one.desc.shape = Shape{1, 2};
  Profile profile;
  EXPECT_EQ(profile.add_experts("blk.0.experts", three, 5), 3);
  EXPECT_EQ(profile.add_experts("blk.1.experts", one, 4), 2);
  EXPECT_EQ(profile.add_experts("blk.0.experts", one, 5), 2);
  ASSERT_EQ(profile.experts.size(), 2u);
  EXPECT_EQ(profile.experts[0].name, "blk.0.experts");
  EXPECT_EQ(profile.experts[0].tokens, (std::vector<int64_t>{3, 1, 4, 0, 0}));
  EXPECT_EQ(profile.experts[0].steps, 2);
  EXPECT_EQ(profile.experts[0].read, 5);
  EXPECT_EQ(profile.experts[1].tokens, (std::vector<int64_t>{1, 0, 1, 0}));
}

TEST(Profile, AGraphsCostIsThatOfItsNodes) {
  const Graph g = test::SmallModel{}.graph({8, 2});
  const std::vector<StepStats::Sequence> sequences = {{.rows = 5, .keys = 9}};
  const StepStats step{
      .n_tokens = 5, .n_outputs = 1, .sequences = sequences, .kv_element_bytes_k = 2, .kv_element_bytes_v = 2};
  Profile profile;
  for (const Node& n : g.nodes())
    if (n.source == Source::kOp) profile.add(g, n, step, {});
  EXPECT_DOUBLE_EQ(cost_of(g, step).bytes, profile.total().bytes);
  EXPECT_DOUBLE_EQ(cost_of(g, step).flops, profile.total().flops);
  // The matrices of two layers and the output, by hand: q, k, v, o, down; gate and up with a product of each pair.
  const double layer = 96.0 * (128 + 64 + 128) + 256.0 * 96 + 96.0 * 160;
  EXPECT_DOUBLE_EQ(profile.rows.at("linear f32").flops, 2 * 5 * 2 * layer + 2 * 96.0 * 101);
  EXPECT_DOUBLE_EQ(profile.rows.at("glu_linear f32").flops, 2 * 5 * (4 * 96.0 + 1) * 160);
}

}  // namespace
}  // namespace skald
