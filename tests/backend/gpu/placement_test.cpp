#include "backend/gpu/placement.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

// "cpu" or "gpu" for each operation with this name.
class PlacementOf : public testing::Test {
 protected:
  void place(DeviceOptions o, test::SmallModel model = {.n_layers = 4}) {
    o.device = "simt";
    graph_ = model.graph({1, 1});
    devices_ = skald::place(graph_, gpu::placement_by(o), 2, [](size_t, const Node&) { return true; }).devices;
  }
  std::string at(std::string_view name) const {
    for (int id = 0; id < graph_.size(); ++id) {
      const Node& node = graph_.node(id);
      if (node.source != Source::kOp) continue;
      const bool reads = std::ranges::any_of(node.inputs, [&](int in) { return graph_.node(in).name == name; });
      if (node.name == name || reads) return devices_[static_cast<size_t>(id)] == gpu::kGpu ? "gpu" : "cpu";
    }
    return "none";
  }

  Graph graph_;
  std::vector<size_t> devices_;
};

TEST_F(PlacementOf, LayersAreTheLastOnesAndTheOutputCountsAsOne) {
  place({.gpu_layers = "0"});
  EXPECT_EQ(at("output.weight"), "cpu");
  place({.gpu_layers = "1"});
  EXPECT_EQ(at("output.weight"), "gpu");
  EXPECT_EQ(at("blk.3.attn_q.weight"), "cpu");
  place({.gpu_layers = "3"});
  EXPECT_EQ(at("blk.3.attn_q.weight"), "gpu");
  EXPECT_EQ(at("blk.2.ffn_down.weight"), "gpu");
  EXPECT_EQ(at("blk.1.ffn_down.weight"), "cpu");
}

TEST_F(PlacementOf, AllLayersLeaveTheEmbeddingsOnTheCpu) {
  for (const char* all : {"99", "all", "auto", "-1", ""}) {
    place({.gpu_layers = all});
    EXPECT_EQ(at("token_embd.weight"), "cpu") << all;
    EXPECT_EQ(at("blk.0.attn_q.weight"), "gpu") << all;
    EXPECT_EQ(at("output.weight"), "gpu") << all;
  }
}

TEST_F(PlacementOf, ExpertsOfTheFirstLayersStayOnTheCpu) {
  const test::SmallModel experts{.arch = "qwen2moe", .n_layers = 4};
  place({.cpu_moe = true}, experts);
  for (const char* layer : {"blk.0", "blk.3"}) {
    EXPECT_EQ(at(std::string(layer) + ".ffn_down_exps.weight"), "cpu");
    EXPECT_EQ(at(std::string(layer) + ".attn_q.weight"), "gpu");
  }
  place({.n_cpu_moe = 2}, experts);
  EXPECT_EQ(at("blk.1.ffn_down_exps.weight"), "cpu");
  EXPECT_EQ(at("blk.2.ffn_down_exps.weight"), "gpu");
}

TEST_F(PlacementOf, RulesForTensorsGoBeforeLayers) {
  place({.override_tensors = "blk\\.[01]\\.ffn_down=CPU,^output=CPU"});
  EXPECT_EQ(at("blk.1.ffn_down.weight"), "cpu");
  EXPECT_EQ(at("blk.2.ffn_down.weight"), "gpu");
  EXPECT_EQ(at("blk.1.attn_q.weight"), "gpu");
  EXPECT_EQ(at("output.weight"), "cpu");
  place({.gpu_layers = "0", .override_tensors = "attn_output=simt"});
  EXPECT_EQ(at("blk.0.attn_output.weight"), "gpu");
  EXPECT_EQ(at("blk.0.ffn_down.weight"), "cpu");
}

TEST_F(PlacementOf, TheFirstRuleCounts) {
  place({.override_tensors = "blk.0=CPU,ffn_down=simt"});
  EXPECT_EQ(at("blk.0.ffn_down.weight"), "cpu");
}

TEST(PlacementRules, AreRefusedByTheNameOfTheOption) {
  const auto error = [](DeviceOptions o) { return std::string(test::error_of([&] { gpu::placement_by(o); }).what()); };
  EXPECT_NE(error({.gpu_layers = "many"}).find("device.gpu_layers: want auto, all or a number, got 'many'"),
            std::string::npos);
  EXPECT_NE(error({.gpu_layers = "3x"}).find("device.gpu_layers"), std::string::npos);
  EXPECT_NE(error({.device = "simt", .override_tensors = "a=GPU9"}).find("want REGEX=CPU or REGEX=simt, got 'a=GPU9'"),
            std::string::npos);
  EXPECT_NE(error({.override_tensors = "(=CPU"}).find("'(' is no regular expression"), std::string::npos);
  EXPECT_NE(error({.override_tensors = "=CPU"}).find("device.override_tensors"), std::string::npos);
}

}  // namespace
}  // namespace skald
