// Dot drawings: well formed, with every operation once, every edge between nodes that are drawn, and names that cannot
// escape.
#include "graph/dot.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "graph/ops/activation.h"
#include "graph/ops/linear.h"
#include "tests/support/graphs.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

/// The drawing without the contents of its strings; fails the test when quotes or braces do not close.
std::string skeleton(const std::string& dot) {
  std::string out;
  bool quoted = false;
  int depth = 0;
  for (size_t i = 0; i < dot.size(); ++i) {
    if (quoted && dot[i] == '\\') {
      ++i;
      continue;
    }
    if (dot[i] == '"') quoted = !quoted;
    if (quoted) {
      EXPECT_NE(dot[i], '\n') << "a string runs over the end of its line";
      continue;
    }
    depth += dot[i] == '{' ? 1 : dot[i] == '}' ? -1 : 0;
    EXPECT_GE(depth, 0);
    out += dot[i];
  }
  EXPECT_FALSE(quoted);
  EXPECT_EQ(depth, 0);
  return out;
}

class Drawing {
 public:
  std::multiset<std::string> nodes;
  std::vector<std::pair<std::string, std::string>> edges;

  explicit Drawing(const std::string& dot) {
    std::istringstream lines(skeleton(dot));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string first, second, third;
      words >> first >> second >> third;
      if (!is_id(first)) continue;
      if (second == "->" && is_id(third))
        edges.emplace_back(first, third);
      else
        nodes.insert(first);
    }
  }

 private:
  static bool is_id(const std::string& word) {
    return word.size() > 1 && word[0] == 'n' && word.find_first_not_of("0123456789", 1) == std::string::npos;
  }
};

TEST(Dot, DrawsEveryOperationOnceAndNoDanglingEdges) {
  for (const Family* family : families()) {
    const Graph g = test::SmallModel{.arch = std::string(family->arch)}.graph({8, 2});
    const std::string dot = to_dot(g, "title");
    EXPECT_TRUE(dot.starts_with("digraph skald {"));
    const Drawing drawing(dot);
    size_t boxes = 0, edges = 0;
    for (int id = 0; id < g.size(); ++id) {
      const Node& n = g.node(id);
      if (n.source == Source::kWeight) continue;
      ++boxes;
      EXPECT_EQ(drawing.nodes.count("n" + std::to_string(id)), 1u) << id;
      for (int in : n.inputs) edges += g.node(in).source != Source::kWeight;
    }
    EXPECT_EQ(drawing.nodes.size(), boxes);
    EXPECT_EQ(drawing.edges.size(), edges);
    for (const auto& [from, to] : drawing.edges) EXPECT_TRUE(drawing.nodes.contains(from) && drawing.nodes.contains(to));
  }
}

TEST(Dot, ShowsShapesWeightsAttributesAndLayers) {
  const std::string dot = to_dot(test::SmallModel{}.graph({8, 2}), "a model");
  for (const char* part :
       {"a model", "(tokens, 96)", "(outputs, 96)", "linear\\nblk.1.attn_q, attn_k, attn_v\\nf32 (128, 96)", "eps 1e-05",
        "4 heads on 2 of 32/64", "subgraph \"cluster_blk.0\"", "subgraph \"cluster_blk.1\""})
    EXPECT_NE(dot.find(part), std::string::npos) << part;
}

TEST(Dot, NamesCannotBreakOutOfTheirStrings) {
  Graph g;
  const Tensor x = test::matrix(g, 2, 4), w = test::weight(g, Shape{4, 4});
  const Tensor y = g.add(op_linear, Attrs(NoAttrs{}), {x, w}, "blk.0\"]; evil [label=\"\\");
  g.give(g.add(op_activation, Attrs(Activate{}), {y}, "line\nbreak").id);
  const Drawing drawing(to_dot(g, "title with \" and \\"));
  EXPECT_EQ(drawing.nodes.size(), 3u);
  EXPECT_EQ(drawing.edges.size(), 2u);
}

}  // namespace
}  // namespace skald
