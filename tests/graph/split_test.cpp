#include "graph/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "graph/dot.h"
#include "tests/support/errors.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

// Layers take turns.
const Placement alternating = by_layer(
    [](std::string_view layer) { return layer.empty() ? size_t{0} : static_cast<size_t>((layer.back() - '0') % 2); });
const Placement together = by_layer([](std::string_view) { return size_t{0}; });

bool supports_all(size_t, const Node&) { return true; }

const Graph& model() {
  static const Graph graph = test::SmallModel{.n_layers = 4}.graph({8, 2});
  return graph;
}

int operations(const Graph& graph) {
  return static_cast<int>(std::ranges::count_if(graph.nodes(), [](const Node& n) { return n.source == Source::kOp; }));
}

TEST(Split, OneDeviceIsOnePart) {
  const auto devices = place(model(), together, 1, supports_all).devices;
  const std::vector<GraphPart> parts = split(model(), devices);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_TRUE(parts[0].bound.empty());
  EXPECT_EQ(parts[0].graph.outputs().size(), 2u) << "states and logits";
  EXPECT_EQ(operations(parts[0].graph), operations(model()));
}

TEST(Split, EachValueThatIsReadElsewhereIsExportedOnce) {
  const auto devices = place(model(), alternating, 2, supports_all).devices;
  const std::vector<GraphPart> parts = split(model(), devices);
  EXPECT_GE(parts.size(), 4u);
  std::set<int> exported;
  size_t outputs = 0;
  for (const GraphPart& part : parts) {
    for (const PartValue& v : part.bound) {
      const bool own = std::ranges::count(part.exports, v.node) > 0;
      EXPECT_TRUE(own || exported.contains(v.node)) << "value " << v.node << " is read before it is computed";
    }
    for (int id : part.exports) EXPECT_TRUE(exported.insert(id).second);
    outputs += part.graph.outputs().size();
  }
  EXPECT_EQ(outputs, model().outputs().size());
}

// The memory of a part is that of later parts of its device.
TEST(Split, AnOutputOfAnEarlyPartLiesInMemoryOfItsOwn) {
  auto devices = place(model(), together, 2, supports_all).devices;
  const int states = model().output(output_names::kStates);
  devices[static_cast<size_t>(model().output())] = 1;
  const std::vector<GraphPart> parts = split(model(), devices);
  ASSERT_EQ(parts.size(), 2u);
  ASSERT_EQ(parts[0].graph.outputs().size(), 1u);
  const int local = parts[0].graph.output(output_names::kStates);
  EXPECT_EQ(std::ranges::count(parts[0].graph.bound, local), 1);
  EXPECT_EQ(parts[0].bound.front().node, states);
  EXPECT_GE(parts[1].graph.output(), 0);
}

TEST(Split, ViewsDoNotCross) {
  const auto devices = place(model(), alternating, 2, supports_all).devices;
  for (const GraphPart& part : split(model(), devices))
    for (int id : part.exports) EXPECT_EQ(model().node(id).op->view_from, nullptr) << model().node(id).name;
}

TEST(Split, ADeviceLoadsTheWeightsOfItsOwnLayersOnly) {
  const auto devices = place(model(), alternating, 2, supports_all).devices;
  const Graph odd = share_of(model(), devices, 1);
  for (const Node& node : odd.nodes()) {
    if (node.source != Source::kWeight) continue;
    EXPECT_TRUE(node.name.starts_with("blk.1.") || node.name.starts_with("blk.3.")) << node.name;
  }
  EXPECT_GE(odd.find(Source::kWeight, "blk.3.attn_q.weight"), 0);
}

TEST(Split, WhatADeviceHasNoKernelForGoesToAnother) {
  const auto [devices, moved] = place(
      model(), alternating, 2, [](size_t device, const Node& node) { return device == 0 || node.op->name != "attention"; });
  for (const int id : moved) EXPECT_TRUE(slot_of(model().node(id)) >= 0) << model().node(id).name;
  EXPECT_EQ(moved.size(), 4u) << "the attention of two layers, and what fills its cache";
  for (int id = 0; id < model().size(); ++id) {
    const Node& node = model().node(id);
    const bool cache = node.source == Source::kOp && (node.op->name == "attention" || node.op->name == "kv_append");
    if (!cache) continue;
    EXPECT_EQ(devices[static_cast<size_t>(id)], 0u) << node.name;
  }
}

TEST(Split, AnOperationThatNoDeviceHasIsNamed) {
  const Error e = test::error_of(
      [] { place(model(), alternating, 2, [](size_t, const Node& node) { return node.op->name != "rms_norm"; }); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_NE(std::string(e.what()).find("rms_norm (blk.0.attn_norm)"), std::string::npos) << e.what();
}

TEST(Split, OperationsOnASlotNeedOneDeviceWithKernelsForAllOfThem) {
  const Error e = test::error_of([] {
    place(model(), alternating, 2, [](size_t device, const Node& node) {
      return node.op->name == "kv_append" ? device == 0 : node.op->name != "attention" || device == 1;
    });
  });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_NE(std::string(e.what()).find("attention (blk.0.attention)"), std::string::npos) << e.what();
}

TEST(Split, DrawingsShowDevices) {
  const auto devices = place(model(), alternating, 2, supports_all).devices;
  const std::string dot = to_dot(model(), "two", devices);
  EXPECT_NE(dot.find("color=\"#1f77b4\""), std::string::npos);
  EXPECT_NE(dot.find("color=\"#d62728\""), std::string::npos);
  EXPECT_EQ(to_dot(model(), "one").find("penwidth"), std::string::npos);
}

}  // namespace
}  // namespace skald
