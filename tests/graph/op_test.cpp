// Attributes, costs from a step's actual rows, and the promises of the registry of operations.
#include "graph/op.h"

#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <set>

#include "graph/graph.h"
#include "graph/ops/rope_table.h"
#include "tests/support/errors.h"
#include "tests/support/graphs.h"

namespace skald {
namespace {

struct Big {
  int64_t a;
  float b;
  friend bool operator==(const Big&, const Big&) = default;
};

TEST(Attrs, GiveBackWhatWasPutIn) {
  const Attrs attrs(Big{7, 0.5f});
  EXPECT_EQ(attrs.get<Big>().a, 7);
  EXPECT_EQ(attrs.get<Big>().b, 0.5f);
}

TEST(Attrs, RefuseAnotherOperationsType) {
  const Attrs attrs(Big{7, 0.5f});
  EXPECT_EQ(test::error_of([&] { attrs.get<NoAttrs>(); }).code(), Errc::kInternal);
}

TEST(Attrs, AreTheSameOnlyWithEqualTypeAndFields) {
  RopeTable table{.dims = 8};
  const Attrs attrs(table);
  EXPECT_TRUE(attrs.same_as(Attrs(table)));
  table.theta = 5e5f;
  EXPECT_FALSE(attrs.same_as(Attrs(table)));
  EXPECT_FALSE(attrs.same_as(Attrs(NoAttrs{})));
  EXPECT_FALSE(Attrs(NoAttrs{}).same_as(attrs));
}

// Bytes between the fields are not part of the value.
TEST(Attrs, DoNotComparePadding) {
  alignas(RopeTable) std::byte zeros[sizeof(RopeTable)], ones[sizeof(RopeTable)];
  std::memset(zeros, 0, sizeof zeros);
  std::memset(ones, 0xff, sizeof ones);
  const auto fill = [](std::byte* at) {
    auto* table = new (at) RopeTable;
    table->dims = 8;
    return Attrs(*table);
  };
  EXPECT_TRUE(fill(zeros).same_as(fill(ones)));
}

TEST(Ops, HaveDistinctNamesAndAllTheirParts) {
  EXPECT_FALSE(ops().empty());
  std::set<std::string_view> names;
  for (const OpDef* op : ops()) {
    EXPECT_TRUE(names.insert(op->name).second) << op->name;
    EXPECT_TRUE(op->infer && op->cost && op->describe) << op->name;
  }
}

TEST(StepStats, CountsTheActualRows) {
  const StepStats step{.n_tokens = 3, .n_outputs = 2, .sequences = {}};
  const ValueDesc tokens{&format_f32, Shape{16, 10}, Rows::kTokens}, outputs{&format_f32, Shape{8, 10}, Rows::kOutputs},
      fixed{&format_f32, Shape{5, 10}, Rows::kFixed};
  EXPECT_EQ(step.rows(tokens), 3);
  EXPECT_EQ(step.rows(outputs), 2);
  EXPECT_EQ(step.rows(fixed), 5);
  EXPECT_EQ(step.elements(tokens), 30);
  EXPECT_EQ(step.bytes(outputs), 80);
  EXPECT_EQ(step.bytes(fixed), 200);
  EXPECT_EQ(step.bytes({&format_f32, Shape{0}, Rows::kFixed}), 0);
}

TEST(StepStats, CountsBlocksOfQuantisedWeights) {
  constexpr Format kBlocks{.name = "blocks", .id = 63, .block = 32, .block_bytes = 18, .decode = nullptr, .encode = nullptr};
  EXPECT_EQ(StepStats{}.bytes({&kBlocks, Shape{4, 64}, Rows::kFixed}), 4 * 2 * 18);
}

TEST(StepStats, CountsKeysAndPairs) {
  const std::vector<StepStats::Sequence> sequences = {{.rows = 1, .keys = 100}, {.rows = 3, .keys = 10}};
  const StepStats step{.n_tokens = 4, .n_outputs = 2, .sequences = sequences};
  EXPECT_EQ(step.keys_in({}).read, 110);
  EXPECT_EQ(step.keys_in({}).pairs, 100 + 8 + 9 + 10);
  EXPECT_EQ(step.keys_in({5}).read, 5 + 7);
  EXPECT_EQ(step.keys_in({5}).pairs, 5 + 5 + 5 + 5);
  EXPECT_EQ(step.keys_in({9}).read, 9 + 10);
  EXPECT_EQ(step.keys_in({9}).pairs, 9 + 8 + 9 + 9);
}

TEST(StepStats, CountsTheKeysOfAPrefixForItsRowsToo) {
  EXPECT_EQ(StepStats::keys_of({.rows = 6, .keys = 6, .prefix = 4}, {}).pairs, 4 * 4 + 5 + 6);
  EXPECT_EQ(StepStats::keys_of({.rows = 6, .keys = 6, .prefix = 4}, {}).read, 6);
  EXPECT_EQ(StepStats::keys_of({.rows = 1, .keys = 9, .prefix = 4}, {}).pairs, 9);
}

TEST(StreamingCost, ReadsInputsAndWritesTheOutputOnce) {
  Graph g;
  const Tensor x = test::matrix(g, 16, 10), y = x + test::weight(g, Shape{10});
  const StepStats step{.n_tokens = 3, .sequences = {}};
  const Node& node = g.node(y.id);
  const std::vector<ValueDesc> in = {x.desc(), g.node(node.inputs[1]).out};
  const Cost cost = node.op->cost(node.attrs, in, node.out, step);
  EXPECT_EQ(cost.bytes, 4 * (30 + 10 + 30));
  EXPECT_EQ(cost.flops, 30);
}

}  // namespace
}  // namespace skald
