// Memory plans by brute force: no two values that live at the same time share a byte, on random graphs and on real ones.
#include "graph/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/checked.h"
#include "graph/lower.h"
#include "graph/ops/activation.h"
#include "graph/ops/glu.h"
#include "graph/ops/linear.h"
#include "graph/ops/mean.h"
#include "graph/ops/rsqrt.h"
#include "tests/support/graphs.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

int64_t bytes_of(const Node& n) { return round_up(n.out.tensor().bytes(), 64); }

/// The last node that reads `id`; itself when nobody does, the graph's end for its output.
int last_use(const Graph& g, int id) {
  int last = id;
  for (int i = 0; i < g.size(); ++i)
    if (std::ranges::count(g.node(i).inputs, id)) last = i;
  return id == g.output ? g.size() : last;
}

/// Whether `later` may lie where `earlier` does although it is still read: an in-place operation over its first input.
bool may_write_over(const Graph& g, int earlier, int later) {
  const Node& n = g.node(later);
  return n.op->in_place && n.inputs[0] == earlier && std::ranges::count(n.inputs, earlier) == 1 &&
         last_use(g, earlier) == later && bytes_of(g.node(earlier)) == bytes_of(n);
}

/// How many values were laid over their first input.
int check(const Graph& g) {
  const MemoryPlan plan = plan_memory(g);
  EXPECT_EQ(plan.offsets.size(), static_cast<size_t>(g.size()));
  const auto at = [&](int id) { return plan.offsets[static_cast<size_t>(id)]; };
  int64_t total = 0;
  int over = 0;
  for (int b = 0; b < g.size(); ++b) {
    const Node& node = g.node(b);
    const bool has_memory = node.source == Source::kOp && node.out.shape.elements() > 0;
    EXPECT_EQ(at(b) != MemoryPlan::kNone, has_memory) << b;
    if (!has_memory) continue;
    total += bytes_of(node);
    EXPECT_EQ(at(b) % MemoryPlan::kAlignment, 0) << b;
    EXPECT_LE(at(b) + bytes_of(node), plan.arena_bytes) << b;
    for (int a = 0; a < b; ++a) {
      if (at(a) == MemoryPlan::kNone || last_use(g, a) < b) continue;
      const bool apart = at(a) + bytes_of(g.node(a)) <= at(b) || at(b) + bytes_of(node) <= at(a);
      const bool moved_over = at(a) == at(b) && may_write_over(g, a, b);
      over += moved_over;
      EXPECT_TRUE(apart || moved_over) << "nodes " << a << " and " << b << " overlap";
    }
  }
  EXPECT_EQ(plan.total_bytes, total);
  EXPECT_LE(plan.arena_bytes, plan.total_bytes);
  return over;
}

/// A graph of random operations, with values read several times, late, or never.
Graph random_graph(uint64_t seed) {
  std::mt19937_64 bits(seed);
  const auto below = [&](size_t n) { return static_cast<size_t>(bits() % n); };
  Graph g;
  std::vector<Tensor> values = {test::matrix(g, 4, 8)};
  const auto any = [&] { return values[values.size() - 1 - below(std::min<size_t>(values.size(), 6))]; };
  for (int i = 0; i < 40; ++i) {
    const Tensor x = any(), y = any();
    switch (below(6)) {
      case 0:
        values.push_back(activation(x, Activation::kSilu));
        break;
      case 1:
        values.push_back(x * x);
        break;
      case 2:
        values.push_back(x * rsqrt(mean(x), 1));
        break;
      case 3:
        values.push_back(x.cols() == y.cols() ? x + y : activation(y, Activation::kSilu));
        break;
      case 4:
        values.push_back(x.cols() == y.cols() ? glu(x, y, Activation::kSilu) : activation(x, Activation::kSilu));
        break;
      default: {
        const auto n = static_cast<int64_t>(1 + below(40));
        values.push_back(g.add(op_linear, Attrs(Linear{}), {x, test::weight(g, Shape{n, x.cols()})}));
      }
    }
  }
  g.output = values[below(values.size() - 1) + 1].id;
  return g;
}

TEST(MemoryPlan, RandomGraphsNeverOverlap) {
  int over = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    over += check(random_graph(seed));
    if (HasFailure()) return;
  }
  EXPECT_GT(over, 100) << "values are laid over dying inputs";
}

TEST(MemoryPlan, ModelsNeverOverlap) {
  for (const Family* family : families()) {
    const Graph g = test::SmallModel{.arch = std::string(family->arch), .n_layers = 4}.graph({64, 3});
    EXPECT_GT(check(g), 8) << family->arch;
    const auto no_fused = [](const OpDef& op) { return op.expand == nullptr; };
    EXPECT_GT(check(lower(g, no_fused)), 8) << family->arch;
  }
}

TEST(MemoryPlan, WhatTheCallerHoldsAndViewsOfItTakeNoMemory) {
  for (const int64_t tokens : {1, 16}) {
    const Graph g = test::SmallModel{}.graph({.tokens = tokens, .past = 40, .past_format = &format_f32});
    const MemoryPlan plan = plan_memory(g);
    const auto at = [&](int id) { return plan.offsets[static_cast<size_t>(id)]; };
    EXPECT_EQ(g.bound.size(), 2u * 4);
    for (int id : g.bound) EXPECT_EQ(at(id), MemoryPlan::kNone) << g.node(id).name;
    for (int id = 0; id < g.size(); ++id)
      if (g.node(id).source == Source::kOp && g.node(id).op->view) {
        EXPECT_EQ(at(id), MemoryPlan::kNone) << g.node(id).name;
      }
    EXPECT_LT(plan.arena_bytes, 40 * tokens * 1024) << "nothing is as large as the windows";
  }
}

TEST(MemoryPlan, DeepModelsNeedNoMoreThanShallowOnes) {
  const auto arena = [](int64_t layers) {
    return plan_memory(test::SmallModel{.n_layers = layers}.graph({64, 1})).arena_bytes;
  };
  EXPECT_EQ(arena(8), arena(2));
}

TEST(MemoryPlan, AChainOfInPlaceOperationsUsesOneBuffer) {
  Graph g;
  Tensor x = g.add(op_linear, Attrs(Linear{}), {test::matrix(g, 4, 8), test::weight(g, Shape{16, 8})});
  for (int i = 0; i < 5; ++i) x = activation(x, Activation::kSilu);
  g.output = x.id;
  EXPECT_EQ(plan_memory(g).arena_bytes, 4 * 16 * 4);
  EXPECT_EQ(plan_memory(g).total_bytes, 6 * 4 * 16 * 4);
}

TEST(MemoryPlan, AValueThatIsReadTwiceIsNotWrittenOver) {
  Graph g;
  const Tensor x = activation(test::matrix(g, 4, 16), Activation::kSilu);
  g.output = (x * x).id;
  EXPECT_EQ(check(g), 0);
  EXPECT_EQ(plan_memory(g).arena_bytes, 2 * 4 * 16 * 4);
}

TEST(MemoryPlan, TheOutputOutlivesTheGraph) {
  Graph g;
  const Tensor x = activation(test::matrix(g, 4, 16), Activation::kSilu);
  const Tensor later = activation(x, Activation::kSilu);
  g.output = x.id;
  check(g);
  const MemoryPlan plan = plan_memory(g);
  EXPECT_NE(plan.offsets[static_cast<size_t>(x.id)], plan.offsets[static_cast<size_t>(later.id)]);
}

}  // namespace
}  // namespace skald
