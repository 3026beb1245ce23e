// What runs as one, and what does not: on small graphs.
#include <gtest/gtest.h>

#include <functional>

#include "backend/gpu/fusion.h"
#include "graph/ops/activation.h"
#include "graph/ops/columns.h"
#include "graph/ops/kv_append.h"
#include "graph/ops/linear.h"
#include "graph/ops/rope.h"
#include "tests/support/graphs.h"

namespace skald::gpu_find_fusions_test {
namespace {

constexpr int64_t kRows = 4, kColumns = 8;

/// The names of the operations that run as one with others, by fusions.
std::vector<std::vector<std::string>> found(const Graph& g) {
  std::vector<std::vector<std::string>> out;
  for (const gpu::Fusion& fusion : gpu::find_fusions(g)) {
    auto& names = out.emplace_back();
    for (const int id : fusion.nodes) names.emplace_back(g.node(id).op->name);
  }
  return out;
}
using Names = std::vector<std::vector<std::string>>;

struct SmallGraph : Graph {
  Tensor x = test::matrix(*this, kRows, kColumns), residual = test::matrix(*this, kRows, kColumns);

  Tensor linear(std::initializer_list<int64_t> outputs = {kColumns}) {
    std::vector<Tensor> in = {x};
    for (const int64_t n : outputs) in.push_back(test::weight(*this, Shape{n, kColumns}));
    return add(op_linear, Attrs(NoAttrs{}), in);
  }
  Tensor columns(Tensor of, int64_t first, int64_t n) { return add(op_columns, Attrs(Columns{first, n}), {of}); }
};

TEST(FindFusions, JoinsAProductAndTheSumThatReadsIt) {
  for (const bool product_first : {true, false}) {
    SmallGraph g;
    const Tensor y = g.linear();
    g.give((product_first ? y + g.residual : g.residual + y).id);
    EXPECT_EQ(found(g), (Names{{"linear", "add"}}));
  }
  SmallGraph g;
  g.give((g.linear() + test::weight(g, Shape{kColumns})).id);
  EXPECT_EQ(found(g), (Names{{"linear", "add"}})) << "a bias";
}

TEST(FindFusions, LeavesProductsThatOthersSee) {
  const std::vector<std::function<void(SmallGraph&, Tensor)>> cases = {
      [](SmallGraph& g, Tensor y) { g.give(((g.residual + y) + y).id); },
      [](SmallGraph& g, Tensor y) { g.give((y + y).id); },
      [](SmallGraph& g, Tensor y) { g.give(y.id), g.give((g.residual + y).id, "other"); },
      [](SmallGraph& g, Tensor y) { g.bound.push_back(y.id), g.give((g.residual + y).id); },
      [](SmallGraph& g, Tensor y) { g.give((y + test::weight(g, Shape{kColumns / 2})).id); },
      [](SmallGraph& g, Tensor y) { g.give((activation(g.residual, Activation::kSilu) + y).id); },  // in between
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    SmallGraph g;
    cases[i](g, g.linear());
    EXPECT_EQ(found(g), Names{}) << i;
  }
}

TEST(FindFusions, JoinsBiasesOfSeveralWeights) {
  for (const bool all : {true, false}) {
    SmallGraph g;
    const Tensor y = g.linear({8, 4});
    const Tensor a = g.columns(y, 0, 8) + test::weight(g, Shape{8});
    const Tensor b = all ? g.columns(y, 8, 4) + test::weight(g, Shape{4}) : g.columns(y, 8, 4);
    g.give(a.id);
    g.give(b.id, "other");
    EXPECT_EQ(found(g), (all ? Names{{"linear", "add", "add"}} : Names{}));
  }
}

/// Queries and keys that are rotated, and stored.
struct Rotated : SmallGraph {
  Tensor table = test::matrix(*this, kRows, 2), other_table = test::matrix(*this, kRows, 2);
  Tensor q, k, appended;

  Tensor rope(Tensor of, std::vector<Tensor> tables, int64_t d_head = 4) {
    tables.insert(tables.begin(), of);
    return add(op_rope, Attrs(Rope{.d_head = d_head}), tables);
  }
  void append(Tensor keys) { appended = add(op_kv_append, Attrs(KvAppend{.n_kv_heads = 2}), {keys, residual}); }
  void finish() { give(activation(q, Activation::kSilu).id); }
};

TEST(FindFusions, JoinsRotationsAndTheStoreOfKeys) {
  for (const bool keys_first : {false, true}) {
    Rotated g;
    if (keys_first) g.k = g.rope(g.residual, {g.table});
    g.q = g.rope(g.x, {g.table});
    if (!keys_first) g.k = g.rope(g.residual, {g.table});
    g.append(g.k);
    g.finish();
    EXPECT_EQ(found(g), (Names{{"rope", "rope", "kv_append"}}));
  }
}

TEST(FindFusions, LeavesQueriesThatAreRotatedOtherwise) {
  Rotated g;
  g.q = g.rope(g.x, {g.other_table});
  g.k = g.rope(g.residual, {g.table});
  g.append(g.k);
  g.finish();
  EXPECT_EQ(found(g), (Names{{"rope", "kv_append"}}));
  Rotated wide;
  wide.q = wide.rope(wide.x, {wide.table}, 8);
  wide.k = wide.rope(wide.residual, {wide.table});
  wide.append(wide.k);
  wide.finish();
  EXPECT_EQ(found(wide), (Names{{"rope", "kv_append"}}));
}

TEST(FindFusions, LeavesQueriesThatAreStored) {
  Rotated g;
  g.q = g.rope(g.x, {g.table});
  g.k = g.rope(g.residual, {g.table});
  g.add(op_kv_append, Attrs(KvAppend{.n_kv_heads = 2}), {g.k, g.q});
  g.finish();
  EXPECT_EQ(found(g), (Names{{"rope", "kv_append"}}));
}

TEST(FindFusions, LeavesKeysThatOthersSee) {
  Rotated g;
  g.k = g.rope(g.residual, {g.table});
  g.append(g.k);
  g.q = g.k;
  g.finish();
  EXPECT_EQ(found(g), Names{});
  Rotated two;
  two.k = two.rope(two.residual, {two.table, two.other_table});
  two.append(two.k);
  two.q = two.x;
  two.finish();
  EXPECT_EQ(found(two), Names{}) << "by two tables";
}

}  // namespace
}  // namespace skald::gpu_find_fusions_test
