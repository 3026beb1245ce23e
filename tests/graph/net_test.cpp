// The words of model files: weights are looked up, checked and named where they are used.
#include "graph/net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <map>
#include <string>
#include <vector>

#include "tests/support/errors.h"
#include "tests/support/graphs.h"
#include "tests/support/small_model.h"

namespace skald {
namespace {

constexpr Format kHalf{.name = "half", .id = 1, .block = 1, .block_bytes = 2, .decode = nullptr, .encode = nullptr};

class NetTest : public testing::Test {
 protected:
  Net net(const StepCapacity& capacity = {4, 2}) {
    const auto lookup = [this](std::string_view name, const Shape*) -> std::optional<TensorDesc> {
      const auto it = file_.find(std::string(name));
      return it == file_.end() ? std::nullopt : std::optional(it->second);
    };
    return Net(graph_, lookup, capacity);
  }
  void has(const std::string& name, Shape shape, const Format& format = format_f32) { file_[name] = {&format, shape}; }
  const Node& node(Tensor t) const { return graph_.node(t.id); }

  std::map<std::string, TensorDesc> file_;
  Graph graph_;
};

TEST_F(NetTest, NamesAMissingTensorAndTheShapeItWants) {
  has("token_embd.weight", Shape{100, 8});
  Net n = net();
  const Tensor x = n.embed("token_embd", 100, 8);
  Net layer = n.layer_at(3);
  const Error e = test::error_of([&] { layer.linear("attn_q", x, 24); });
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_STREQ(e.what(), "tensor blk.3.attn_q.weight is missing; want (24, 8)");
  EXPECT_EQ(test::error_of([&] { n.rows_of("other.weight"); }).code(), Errc::kNotFound);
  EXPECT_EQ(n.rows_of("token_embd.weight"), 100);
}

TEST_F(NetTest, NamesATensorOfTheWrongShape) {
  has("token_embd.weight", Shape{100, 8});
  Net n = net();
  const Error e = test::error_of([&] { n.embed("token_embd", 100, 16); });
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_STREQ(e.what(), "tensor token_embd.weight: want (100, 16), file has (100, 8)");
}

TEST_F(NetTest, VectorsMustBeFloats) {
  has("token_embd.weight", Shape{100, 8}, kHalf);
  has("output_norm.weight", Shape{8}, kHalf);
  Net n = net();
  const Tensor x = n.embed("token_embd", 100, 8);  // a matrix may have any format
  const Error e = test::error_of([&] { n.rms_norm("output_norm", x, 1e-5f); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_STREQ(e.what(), "tensor output_norm.weight: want f32, file has half");
}

TEST_F(NetTest, BiasesAreAddedWhereTheFileHasThem) {
  has("token_embd.weight", Shape{100, 8});
  has("a.weight", Shape{6, 8});
  has("b.weight", Shape{6, 8});
  has("b.bias", Shape{6});
  Net n = net();
  const Tensor x = n.embed("token_embd", 100, 8);
  EXPECT_EQ(node(n.linear("a", x, 6)).op->name, "linear");
  const Tensor y = n.linear("b", x, 6);
  ASSERT_EQ(node(y).op->name, "add");
  EXPECT_EQ(graph_.node(node(y).inputs[1]).name, "b.bias");
}

TEST_F(NetTest, ProductsAreScaledBeforeBiasesAreAdded) {
  has("token_embd.weight", Shape{100, 8});
  for (const char* name : {"a", "b"}) {
    has(std::string(name) + ".weight", Shape{6, 8});
    has(std::string(name) + ".scale", Shape{1});
  }
  has("b.bias", Shape{6});
  has("b.input_scale", Shape{1});
  Net n = net();
  const Tensor x = n.embed("token_embd", 100, 8);
  const Tensor y = n.linear("a", x, 6);
  ASSERT_EQ(node(y).op->name, "mul");
  EXPECT_EQ(graph_.node(node(y).inputs[1]).name, "a.scale");
  const std::vector<Tensor> both = n.linears({{"a", 6}, {"b", 6}}, x);
  EXPECT_EQ(node(both[0]).op->name, "mul");
  ASSERT_EQ(node(both[1]).op->name, "add");
  const Node& product = graph_.node(node(both[1]).inputs[0]);
  ASSERT_EQ(product.op->name, "mul");
  EXPECT_EQ(graph_.node(product.inputs[1]).name, "b.scale");
  EXPECT_LT(graph_.find(Source::kWeight, "b.input_scale"), 0);
}

TEST_F(NetTest, AScaledGateIsAnOperationOfItsOwn) {
  has("token_embd.weight", Shape{100, 8});
  for (const char* name : {"gate.weight", "up.weight"}) has(name, Shape{6, 8});
  Net n = net();
  const Tensor x = n.embed("token_embd", 100, 8);
  EXPECT_EQ(node(n.glu_linear("gate", "up", x, 6, Activation::kSilu)).op->name, "glu_linear");
  has("up.scale", Shape{1});
  EXPECT_EQ(node(n.glu_linear("gate", "up", x, 6, Activation::kSilu)).op->name, "glu");
}

TEST_F(NetTest, ExpertsHaveAScaleEach) {
  has("token_embd.weight", Shape{100, 8});
  for (const char* name : {"gate", "up", "down"}) {
    has(std::string(name) + ".weight", Shape{3, 8, 8});
    has(std::string(name) + ".scale", Shape{3});
    has(std::string(name) + ".bias", Shape{3, 8});
  }
  Net n = net();
  const Tensor x = n.embed("token_embd", 100, 8), scores = n.columns(x, 0, 3),
               ids = n.choose_experts(scores, {.k = 2}, "none");
  const Tensor h = n.expert_glu_linear("gate", "up", x, ids, 3, 8, Activation::kSilu);
  ASSERT_EQ(node(h).inputs.size(), 8u);
  EXPECT_EQ(graph_.node(node(h).inputs[6]).name, "gate.scale");
  EXPECT_EQ(graph_.node(node(h).inputs[7]).name, "up.scale");
  const Tensor y = n.mix_experts("down", h, ids, n.weigh_experts(scores, ids, {}), 3, 8);
  ASSERT_EQ(node(y).inputs.size(), 6u);
  EXPECT_EQ(graph_.node(node(y).inputs[5]).name, "down.scale");
  file_.erase("gate.scale");
  const Error e = test::error_of([&] { n.expert_glu_linear("gate", "up", x, ids, 3, 8, Activation::kSilu); });
  EXPECT_STREQ(e.what(), "tensor gate.scale is missing; want (3)");
}

TEST_F(NetTest, ARequiredBiasMustBeThere) {
  has("token_embd.weight", Shape{100, 8});
  has("a.weight", Shape{6, 8});
  Net n = net();
  const Tensor x = n.embed("token_embd", 100, 8);
  const Error e = test::error_of([&] { n.linear("a", x, 6, Bias::kRequired); });
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_STREQ(e.what(), "tensor a.bias is missing; want (6)");
}

TEST_F(NetTest, WithoutAnOutputMatrixTheEmbeddingIsUsed) {
  has("token_embd.weight", Shape{100, 8});
  Net n = net();
  const Tensor logits = n.unembed("output", n.output_rows(n.embed("token_embd", 100, 8)), 100);
  EXPECT_EQ(graph_.node(node(logits).inputs[1]).name, "token_embd.weight");
  EXPECT_EQ(std::ranges::count(graph_.nodes(), Source::kWeight, &Node::source), 1) << "the weight is one node";
  EXPECT_EQ(logits.desc().shape, (Shape{2, 100}));
  EXPECT_EQ(logits.desc().rows, Rows::kOutputs);
}

TEST_F(NetTest, AnOutputMatrixOfItsOwnIsUsed) {
  has("token_embd.weight", Shape{100, 8});
  has("output.weight", Shape{100, 8});
  Net n = net();
  const Tensor logits = n.unembed("output", n.embed("token_embd", 100, 8), 100);
  EXPECT_EQ(graph_.node(node(logits).inputs[1]).name, "output.weight");
}

TEST_F(NetTest, LayersShareARopeTable) {
  has("token_embd.weight", Shape{100, 16});
  Net n = net();
  const Tensor x = n.embed("token_embd", 100, 16);
  RopeSpec spec{.table = {.dims = 8}};
  for (int64_t i = 0; i < 3; ++i) {
    Net layer = n.layer_at(i);
    EXPECT_EQ(node(layer.rope(x, 8, spec)).name, "blk." + std::to_string(i) + ".rope");
  }
  EXPECT_EQ(test::count_ops(graph_, "rope_table"), 1);
  spec.table.theta = 5e5f;
  n.layer_at(3).rope(x, 8, spec);
  EXPECT_EQ(test::count_ops(graph_, "rope_table"), 2);
}

TEST_F(NetTest, RopeDivisorsAreCheckedAndUsed) {
  has("token_embd.weight", Shape{100, 16});
  has("rope_freqs.weight", Shape{4});
  Net n = net();
  const Tensor x = n.embed("token_embd", 100, 16);
  const RopeSpec spec{.table = {.dims = 8}, .divisors = n.vector("rope_freqs.weight", 4)};
  n.layer_at(0).rope(x, 8, spec);
  n.layer_at(1).rope(x, 8, spec);
  EXPECT_EQ(test::count_ops(graph_, "rope_table"), 1);
  const int divisors = graph_.find(Source::kWeight, "rope_freqs.weight");
  EXPECT_GE(divisors, 0);
  has("rope_freqs.weight", Shape{5});
  const Error e = test::error_of([&] { n.layer_at(2).vector("rope_freqs.weight", 4); });
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_STREQ(e.what(), "tensor rope_freqs.weight: want f32 (4), file has f32 (5)");
}

TEST_F(NetTest, PositionsOfTwoKindsTurnHalfAHeadEach) {
  has("token_embd.weight", Shape{100, 32});
  Net n = net();
  n.set_prefix_end(3);
  EXPECT_EQ(graph_.prefix_end, 3);
  const Tensor x = n.embed("token_embd", 100, 32);
  const RopeSpec spec{.table = {.dims = 8}};
  const Node rope = node(n.layer_at(0).prefix_rope(x, 16, spec));
  n.layer_at(1).prefix_rope(x, 16, spec);
  EXPECT_EQ(test::count_ops(graph_, "rope_table"), 2) << "shared by all layers";
  EXPECT_EQ(rope.attrs.get<Rope>().d_head, 8);
  ASSERT_EQ(rope.inputs.size(), 3u);
  const auto positions_of = [&](size_t i) { return graph_.node(graph_.node(rope.inputs[i]).inputs[0]).name; };
  EXPECT_EQ(positions_of(1), "prefix_positions");
  EXPECT_EQ(positions_of(2), "suffix_positions");
  EXPECT_STREQ(test::error_of([&] { n.layer_at(2).prefix_rope(x, 1, spec); }).what(),
               "blk.2.rope: heads of 1 do not divide into halves");
}

// Nothing would tell that a key after the query is left out of a window, or was dropped.
TEST_F(NetTest, RefusesAPrefixWithWhatHasNoRuleForIt) {
  has("token_embd.weight", Shape{100, 8});
  const auto refusal = [&](const StepCapacity& capacity, const Attention& a) {
    graph_ = {};
    Net n = net(capacity);
    n.set_prefix_end(3);
    const Tensor x = n.embed("token_embd", 100, 8);
    const Error e = test::error_of([&] { n.layer_at(0).attention(x, x, x, a); });
    EXPECT_EQ(e.code(), Errc::kUnsupported);
    return std::string(e.what());
  };
  const Attention one{.n_heads = 1, .n_kv_heads = 1, .d_k = 8, .d_v = 8, .scale = 1};
  Attention window = one, alibi = one;
  window.window = {5};
  alibi.alibi_max_bias = 8;
  const std::string begin = "blk.0.attention: keys that are seen in both directions do not go with ";
  EXPECT_EQ(refusal({.past = 9, .past_format = &format_f32}, one), begin + "fixed shapes");
  EXPECT_EQ(refusal({.shifted = true}, one), begin + "shifts of the context");
  EXPECT_EQ(refusal({}, window), begin + "a sliding window");
  EXPECT_EQ(refusal({}, alibi), begin + "ALiBi");
}

TEST_F(NetTest, LayersWithoutCausalityTakeTurnsInASlotAndRefuseWhatLooksBackOnly) {
  has("token_embd.weight", Shape{100, 8});
  Attention one{.n_heads = 1, .n_kv_heads = 1, .d_k = 8, .d_v = 8, .scale = 1}, near = one, chunks = one, alibi = one;
  near.window = {.size = 5, .around = true};
  chunks.window = {.chunk = 5};
  alibi.alibi_max_bias = 8;
  const auto attend = [&](const Attention& a, const StepCapacity& capacity = {}) {
    Net n = net(capacity);
    n.see_all();
    const Tensor x = n.embed("token_embd", 100, 8);
    return node(n.layer_at(0).attention(x, x, x, a)).attrs.get<Attention>();
  };
  EXPECT_EQ(attend(one).slot, 0);
  EXPECT_EQ(attend(near).slot, 0);
  one.d_v = 4;
  EXPECT_THROW(attend(one), Error);
  EXPECT_EQ(graph_.states, (std::vector<StateSpec>{AttentionState{1, 8, 8, 0, 1}}));
  const auto refusal = [&](const Attention& a, const StepCapacity& capacity = {}) {
    return std::string(test::error_of([&] { attend(a, capacity); }).what());
  };
  near.window.around = false;
  one.d_v = 8;
  EXPECT_THAT(refusal(near), testing::EndsWith("do not go with a sliding window"));
  EXPECT_THAT(refusal(chunks), testing::EndsWith("do not go with chunks"));
  EXPECT_THAT(refusal(alibi), testing::EndsWith("do not go with ALiBi"));
  EXPECT_THAT(refusal(one, {.past = 9, .past_format = &format_f32}), testing::EndsWith("do not go with fixed shapes"));
  EXPECT_THAT(refusal(one, {.shifted = true}), testing::EndsWith("do not go with shifts of the context"));
}

TEST_F(NetTest, TokenTypesAreRowsOfATableOrOneForAll) {
  has("token_embd.weight", Shape{100, 8});
  has("two.weight", Shape{2, 8});
  has("one.weight", Shape{1, 8});
  Net n = net();
  const Tensor x = n.embed("token_embd", 100, 8);
  n.add_token_types("one", x);
  EXPECT_EQ(graph_.find(Source::kInput, "token_types"), -1);
  const Node sum = node(n.add_token_types("two", x));
  EXPECT_EQ(graph_.node(graph_.node(sum.inputs[1]).inputs[0]).name, "token_types");
}

TEST_F(NetTest, BiasesByDistanceAreATableOfTheLayer) {
  has("enc.blk.0.attn_rel_b.weight", Shape{32, 2});
  Net layer = net().layer_at(0, "enc");
  EXPECT_EQ(node(layer.distance_biases("attn_rel_b", 32, 2)).out.shape, (Shape{2, 257}));
  EXPECT_EQ(layer_of_name("enc.blk.0.attn_rel_b.weight"), "enc.blk.0");
}

TEST_F(NetTest, AttentionDeclaresItsCacheAndChecksItsHeads) {
  has("token_embd.weight", Shape{100, 32});
  Net n = net();
  const Tensor x = n.embed("token_embd", 100, 32);
  Net layer = n.layer_at(0);
  const Attention a{.n_heads = 4, .n_kv_heads = 2, .d_k = 8, .d_v = 16, .scale = 1, .window = {7}};
  const Error e = test::error_of([&] { layer.attention(x, x, x, a); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_TRUE(std::string(e.what()).starts_with("blk.0.attention: keys of 32")) << e.what();
  ASSERT_TRUE(graph_.states.empty());
  const Tensor k = test::matrix(graph_, 4, 16);
  const Tensor y = layer.attention(x, k, x, a);
  EXPECT_EQ(y.desc().shape, (Shape{4, 64}));
  ASSERT_EQ(graph_.states.size(), 1u);
  EXPECT_EQ(graph_.states[0], StateSpec(AttentionState{.n_kv_heads = 2, .d_k = 8, .d_v = 16, .window = 7, .group = 2}));
  EXPECT_EQ(graph_.node(node(y).inputs[1]).op->name, "kv_append");
}

std::vector<std::string> bound_names(const Format& format) {
  const Graph g = test::SmallModel{.n_layers = 2}.graph({.past = 9, .past_format = &format});
  std::vector<std::string> names;
  for (int id : g.bound) names.push_back(g.node(id).name + " " + g.node(id).out.shape.to_string());
  return names;
}

TEST(NetModels, AStaticGraphBindsPastAndNewRowsOfEachLayer) {
  EXPECT_EQ(
      bound_names(format_f32),
      (std::vector<std::string>{"blk.0.past_keys (2, 9, 32)", "blk.0.new_keys (2, 1, 32)", "blk.0.past_values (2, 9, 64)",
                                "blk.0.new_values (2, 1, 64)", "blk.1.past_keys (2, 9, 32)", "blk.1.new_keys (2, 1, 32)",
                                "blk.1.past_values (2, 9, 64)", "blk.1.new_values (2, 1, 64)"}));
  const std::vector<std::string> integers = bound_names(format_i8);
  ASSERT_EQ(integers.size(), 12u);
  EXPECT_EQ(integers[0], "blk.0.scale_of_keys (1)");
  EXPECT_EQ(integers[3], "blk.0.scale_of_values (1)");
}

bool recurs(const Graph& g) {
  return std::ranges::any_of(g.states, [](const StateSpec& s) { return std::holds_alternative<RecurrentState>(s); });
}

bool indexed(const Graph& g) { return test::count_ops(g, "choose_keys") > 0; }

TEST(NetModels, AStaticGraphOfEveryFamilyKnowsNoCache) {
  for (const Family* family : families()) {
    const test::SmallModel model{.arch = std::string(family->arch), .n_layers = 3};
    const Graph paged = model.graph({});
    if (paged.prefix_end >= 0 || !paged.causal || recurs(paged) || indexed(paged)) continue;  // refused
    const Graph g = model.graph({.past = 9, .past_format = &format_f32});
    EXPECT_EQ(g.states.size(), 3u) << family->arch;
    EXPECT_EQ(test::count_ops(g, "window_attention"), 3) << family->arch;
    EXPECT_EQ(test::count_ops(g, "kv_append") + test::count_ops(g, "attention"), 0) << family->arch;
  }
}

TEST(NetModels, EveryFamilyDeclaresItsLayers) {
  for (const Family* family : families()) {
    const test::SmallModel model{.arch = std::string(family->arch), .n_layers = 3};
    const Graph g = model.graph({8, 2});
    if (!recurs(g)) {
      EXPECT_EQ(std::ssize(g.states), (g.causal ? 3 : 1) + test::count_ops(g, "choose_keys")) << family->arch;
      EXPECT_EQ(test::count_ops(g, "attention"), 3) << family->arch;
    }
    const int64_t kinds_of_positions = g.prefix_end >= 0 ? 2 : 1;
    EXPECT_EQ(test::count_ops(g, "rope_table"), test::count_ops(g, "rope") ? kinds_of_positions : 0) << family->arch;
    const int logits = g.output(), states = g.output(output_names::kStates);
    ASSERT_EQ(logits >= 0, g.causal) << family->arch;
    if (logits >= 0) {
      EXPECT_EQ(g.node(logits).out.shape, (Shape{2, model.n_vocab})) << family->arch;
    }
    ASSERT_GE(states, 0) << family->arch;
    EXPECT_EQ(g.node(states).out.shape, (Shape{2, model.d_model})) << family->arch;
  }
}

}  // namespace
}  // namespace skald
