// Memory plans by brute force: no two values that live at the same time share a byte, on random graphs and on real ones.
#include "graph/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "base/checked.h"
#include "graph/lower.h"
#include "graph/ops/activation.h"
#include "graph/ops/columns.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/glu.h"
#include "graph/ops/linear.h"
#include "graph/ops/mean.h"
#include "tests/support/graphs.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

int64_t bytes_of(const Node& n) { return round_up(n.out.tensor().bytes(), 64); }

/// The last node that reads `id`; itself when none does, the graph's end for its output.
int last_use(const Graph& g, int id) {
  int last = id;
  for (int i = 0; i < g.size(); ++i)
    if (std::ranges::count(g.node(i).inputs, id)) last = i;
  return id == g.output() ? g.size() : last;
}

bool is_view(const Node& n) { return n.source == Source::kOp && n.op->view_from; }

/// Whether `later` may lie where `earlier` does although it is still read: a view of it, or an in-place operation over its
/// first input.
bool may_share(const Graph& g, int earlier, int later) {
  const Node& n = g.node(later);
  if (n.inputs.empty() || n.inputs[0] != earlier) return false;
  return is_view(n) || (n.op->in_place && std::ranges::count(n.inputs, earlier) == 1 && last_use(g, earlier) == later &&
                        g.node(earlier).out.shape == n.out.shape);
}

/// Where a value lies: some columns of the memory of its owner.
struct Place {
  int owner;
  int64_t first, n;  // columns

  bool meets(const Place& other) const { return first < other.first + other.n && other.first < first + n; }
};

Place place_of(const Graph& g, const MemoryPlan& plan, int id) {
  const Node& node = g.node(id);
  const int with = plan.shares[static_cast<size_t>(id)];
  if (with == MemoryPlan::kNone) return {id, 0, node.out.shape.back()};
  const Place there = place_of(g, plan, with);
  return {there.owner, there.first + (is_view(node) ? node.op->view_from(node.attrs) : 0), node.out.shape.back()};
}

/// Whether something that reads `a` from b on sees what b writes over: another operation, or a view of the same columns.
bool needed(const Graph& g, const MemoryPlan& plan, int a, int b) {
  for (int i = b; i < g.size(); ++i)
    if (std::ranges::count(g.node(i).inputs, a) && (!is_view(g.node(i)) || place_of(g, plan, i).meets(place_of(g, plan, b))))
      return true;
  return a == g.output();
}

/// Tells whether b spoils `a`, which is still read. It does not where b, or the value that b is a view of, may lie over a.
bool spoils(const Graph& g, const MemoryPlan& plan, int a, int b) {
  const Place at_a = place_of(g, plan, a), at_b = place_of(g, plan, b);
  if (is_view(g.node(b)) || may_share(g, a, b)) return false;  // writes nothing, or bytes that no node needs
  if (at_a.owner == at_b.owner) return at_a.meets(at_b) && needed(g, plan, a, b);
  const auto begin = [&](const Place& p) { return plan.offsets[static_cast<size_t>(p.owner)]; };
  const auto end = [&](const Place& p) { return begin(p) + bytes_of(g.node(p.owner)); };
  return begin(at_a) < end(at_b) && begin(at_b) < end(at_a);
}

/// Whether two values share bytes.
bool overlap(const Graph& g, const MemoryPlan& plan, int a, int b) {
  const Place at_a = place_of(g, plan, a), at_b = place_of(g, plan, b);
  if (at_a.owner == at_b.owner) return at_a.meets(at_b);
  const auto begin = [&](const Place& p) { return plan.offsets[static_cast<size_t>(p.owner)]; };
  const auto end = [&](const Place& p) { return begin(p) + bytes_of(g.node(p.owner)); };
  return begin(at_a) < end(at_b) && begin(at_b) < end(at_a);
}

/// The value that a view, or a view of one, shows parts of.
int shown_by(const Graph& g, int id) { return is_view(g.node(id)) ? shown_by(g, g.node(id).inputs[0]) : id; }

/// Nothing from before a range that one of its nodes reads is written over by another one, which may run at the same time.
void check_range(const Graph& g, const MemoryPlan& plan, const NodeRange& range) {
  const auto has_memory = [&](int id) {
    return plan.offsets[static_cast<size_t>(place_of(g, plan, id).owner)] != MemoryPlan::kNone;
  };
  for (int writer = range.first; writer <= range.last; ++writer)
    for (int reader = range.first; reader <= range.last; ++reader)
      for (const int x : g.node(reader).inputs) {
        if (writer == reader || is_view(g.node(writer)) || is_view(g.node(reader))) continue;
        if (!has_memory(writer) || !has_memory(x) || shown_by(g, x) >= range.first) continue;
        EXPECT_FALSE(overlap(g, plan, writer, x)) << writer << " writes over " << x << ", which " << reader << " reads";
      }
}

/// How many values were laid over their first input.
int check(const Graph& g, std::span<const NodeRange> together = {}) {
  const MemoryPlan plan = plan_memory(g, together);
  for (const NodeRange& range : together) check_range(g, plan, range);
  EXPECT_EQ(plan.offsets.size(), static_cast<size_t>(g.size()));
  EXPECT_EQ(plan.shares.size(), static_cast<size_t>(g.size()));
  int64_t total = 0;
  int over = 0;
  const auto in_arena = [&](int id) {
    return plan.offsets[static_cast<size_t>(place_of(g, plan, id).owner)] != MemoryPlan::kNone;
  };
  for (int b = 0; b < g.size(); ++b) {
    const Node& node = g.node(b);
    const int with = plan.shares[static_cast<size_t>(b)];
    const int64_t offset = plan.offsets[static_cast<size_t>(b)];
    const bool has_memory = node.source == Source::kOp && node.out.shape.elements() > 0;
    EXPECT_EQ(offset != MemoryPlan::kNone || with != MemoryPlan::kNone, has_memory) << b;
    EXPECT_TRUE(offset == MemoryPlan::kNone || with == MemoryPlan::kNone) << b;
    if (!has_memory) continue;
    EXPECT_TRUE(with == MemoryPlan::kNone || may_share(g, with, b)) << b;
    over += with != MemoryPlan::kNone && !is_view(node);
    total += is_view(node) ? 0 : bytes_of(node);
    if (offset != MemoryPlan::kNone) {
      EXPECT_EQ(offset % MemoryPlan::kAlignment, 0) << b;
      EXPECT_LE(offset + bytes_of(node), plan.arena_bytes) << b;
    }
    for (int a = 0; a < b && in_arena(b); ++a)
      if (in_arena(a) && last_use(g, a) >= b) {
        EXPECT_FALSE(spoils(g, plan, a, b)) << "node " << b << " is computed where " << a << " is still read";
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
    switch (below(8)) {
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
      case 5: {  // some columns, often written over and read late
        const auto n = static_cast<int64_t>(1 + below(static_cast<size_t>(x.cols())));
        const auto first = static_cast<int64_t>(below(static_cast<size_t>(x.cols() - n + 1)));
        values.push_back(g.add(op_columns, Attrs(Columns{first, n}), {x}));
        break;
      }
      case 6: {  // halves of a value that no other node reads
        const Tensor all = g.add(op_linear, Attrs(NoAttrs{}), {x, test::weight(g, Shape{16, x.cols()})});
        for (int64_t first : {0, 8})
          values.push_back(activation(g.add(op_columns, Attrs(Columns{first, 8}), {all}), Activation::kSilu));
        break;
      }
      default: {
        const auto n = static_cast<int64_t>(1 + below(40));
        values.push_back(g.add(op_linear, Attrs(NoAttrs{}), {x, test::weight(g, Shape{n, x.cols()})}));
      }
    }
  }
  g.give(values[below(values.size() - 1) + 1].id);
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

TEST(MemoryPlan, NodesThatRunAtOnceWriteOverNothingThatOthersRead) {
  int over = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Graph g = random_graph(seed);
    std::mt19937_64 bits(seed);
    std::vector<NodeRange> together;
    for (int first = 0; first < g.size(); first += 5)
      together.push_back({first, std::min(first + static_cast<int>(bits() % 5), g.size() - 1)});
    over += check(g, together);
    if (HasFailure()) return;
  }
  EXPECT_GT(over, 50) << "values are laid over dying inputs";
}

TEST(MemoryPlan, ModelsNeverOverlap) {
  for (const Family* family : families()) {
    const Graph g = test::SmallModel{.arch = std::string(family->arch), .n_layers = 4}.graph({64, 3});
    EXPECT_GT(check(g), 7) << family->arch;
    const auto no_fused = [](const Graph&, const Node& node) { return node.op->expand == nullptr; };
    EXPECT_GT(check(lower(g, no_fused)), 7) << family->arch;
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
      if (g.node(id).source == Source::kOp && g.node(id).op->view_from) {
        EXPECT_EQ(at(id), MemoryPlan::kNone) << g.node(id).name;
      }
    EXPECT_LT(plan.arena_bytes, 40 * tokens * 1024) << "nothing is as large as the windows";
  }
}

TEST(MemoryPlan, PartsOfAProductAreWrittenOverWhereNoOtherNodeReadsThem) {
  for (const bool apart : {true, false}) {
    Graph g;
    const Tensor all = g.add(op_linear, Attrs(NoAttrs{}), {test::matrix(g, 4, 8), test::weight(g, Shape{16, 8})});
    const Tensor left = g.add(op_columns, Attrs(Columns{0, 8}), {all});
    const Tensor right = g.add(op_columns, Attrs(Columns{apart ? 8 : 7, 8}), {all});
    const Tensor a = activation(left, Activation::kSilu), b = activation(right, Activation::kSilu);
    g.give((a + b).id);
    const MemoryPlan plan = plan_memory(g);
    EXPECT_EQ(plan.shares[static_cast<size_t>(a.id)], apart ? left.id : MemoryPlan::kNone);
    EXPECT_EQ(plan.shares[static_cast<size_t>(b.id)], apart ? right.id : MemoryPlan::kNone);
    check(g);
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
  Tensor x = g.add(op_linear, Attrs(NoAttrs{}), {test::matrix(g, 4, 8), test::weight(g, Shape{16, 8})});
  for (int i = 0; i < 5; ++i) x = activation(x, Activation::kSilu);
  g.give(x.id);
  EXPECT_EQ(plan_memory(g).arena_bytes, 4 * 16 * 4);
  EXPECT_EQ(plan_memory(g).total_bytes, 6 * 4 * 16 * 4);
}

TEST(MemoryPlan, AValueThatIsReadTwiceIsNotWrittenOver) {
  Graph g;
  const Tensor x = activation(test::matrix(g, 4, 16), Activation::kSilu);
  g.give((x * x).id);
  EXPECT_EQ(check(g), 0);
  EXPECT_EQ(plan_memory(g).arena_bytes, 2 * 4 * 16 * 4);
}

TEST(MemoryPlan, TheOutputOutlivesTheGraph) {
  Graph g;
  const Tensor x = activation(test::matrix(g, 4, 16), Activation::kSilu);
  const Tensor later = activation(x, Activation::kSilu);
  g.give(x.id);
  check(g);
  const MemoryPlan plan = plan_memory(g);
  EXPECT_NE(plan.offsets[static_cast<size_t>(x.id)], plan.offsets[static_cast<size_t>(later.id)]);
}

}  // namespace
}  // namespace skald
