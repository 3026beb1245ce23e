// Hyperparameters of experts: their defaults, and that wrong ones are refused by the name of their key.
#include "models/parts/moe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/parts/mla.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::HasSubstr;

class Moe : public testing::Test {
 protected:
  Moe() {
    set("expert_count", uint32_t{8});
    set("expert_used_count", uint32_t{2});
  }
  void set(const std::string& key, MetaValue value) { meta_.set("m." + key, std::move(value)); }
  static DecoderParams decoder() {
    DecoderParams p{};
    p.n_layers = 1;
    p.d_ff = 96;
    return p;
  }
  static Net no_weights(Graph& graph) {
    return {graph, [](std::string_view, const Shape*) { return std::nullopt; }, {1, 1}};
  }
  MoeParams params() const {
    Graph graph;
    MoeParams p = read_moe(no_weights(graph), MetaView(meta_, "m"), decoder());
    read_routing(MetaView(meta_, "m"), p);
    return p;
  }
  void refuses(const std::string& key, MetaValue value, const std::string& says) {
    const Meta before = meta_;
    set(key, std::move(value));
    const Error e = test::error_of([&] { params(); });
    EXPECT_THAT(e.what(), HasSubstr("m." + key)) << e.what();
    EXPECT_THAT(e.what(), HasSubstr(says)) << e.what();
    meta_ = before;
  }
  Meta meta_;
};

TEST_F(Moe, SaysHowManyAndHowWide) {
  EXPECT_EQ(params().n_experts, 8);
  EXPECT_EQ(params().choice, (ChooseExperts{.k = 2}));
  EXPECT_EQ(params().d_ff, 96);
  set("expert_feed_forward_length", uint32_t{32});
  EXPECT_EQ(params().d_ff, 32);
  Graph graph;
  EXPECT_EQ(shared_width(no_weights(graph), MetaView(meta_, "m"), decoder()), 96);
  set("expert_shared_feed_forward_length", uint32_t{48});
  EXPECT_EQ(shared_width(no_weights(graph), MetaView(meta_, "m"), decoder()), 48);
}

TEST_F(Moe, SaysHowExpertsAreChosenAndWeighed) {
  EXPECT_EQ(params().routing, Routing::kSoftmax);
  EXPECT_FALSE(params().normalise);
  set("expert_gating_func", uint32_t{2});
  set("expert_weights_norm", true);
  set("expert_weights_scale", 2.5f);
  set("expert_group_count", uint32_t{4});
  set("expert_group_used_count", uint32_t{3});
  const MoeParams p = params();
  EXPECT_EQ(p.routing, Routing::kSigmoid);
  EXPECT_TRUE(p.normalise);
  EXPECT_EQ(p.scale, 2.5f);
  EXPECT_EQ(p.choice, (ChooseExperts{.k = 2, .groups = 4, .groups_used = 3, .group_best = 2}));
  set("expert_group_count", uint32_t{8});
  EXPECT_EQ(params().choice.group_best, 1) << "a group of one";
}

TEST_F(Moe, RefusesWhatNoModelHas) {
  refuses("expert_count", uint32_t{0}, "0");
  refuses("expert_count", uint32_t{1u << 31}, "2147483648");
  refuses("expert_used_count", uint32_t{9}, "9");
  refuses("expert_used_count", uint32_t{0}, "0");
  refuses("expert_feed_forward_length", uint32_t{0}, "0");
  refuses("expert_group_count", uint32_t{9}, "9");
  refuses("expert_gating_func", uint32_t{4}, "known: 1 (softmax)");
}

TEST_F(Moe, LatentAttentionNamesTheKeysThatItNeeds) {
  const auto error = [&] {
    Graph graph;
    Net net(graph, [](std::string_view, const Shape*) { return std::nullopt; }, {1, 1});
    return std::string(test::error_of([&] { read_mla(net, MetaView(meta_, "m")); }).what());
  };
  EXPECT_THAT(error(), HasSubstr("m.attention.head_count"));
  set("attention.head_count", uint32_t{4});
  EXPECT_THAT(error(), HasSubstr("m.attention.kv_lora_rank"));
  set("attention.kv_lora_rank", uint32_t{32});
  EXPECT_THAT(error(), HasSubstr("m.attention.key_length"));
  set("attention.key_length", uint32_t{24});
  set("attention.value_length", uint32_t{16});
  set("rope.dimension_count", uint32_t{24});
  EXPECT_THAT(error(), HasSubstr("m.rope.dimension_count")) << "nothing would be left without positions";
}

}  // namespace
}  // namespace skald
