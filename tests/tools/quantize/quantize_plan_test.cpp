// Which type each kind of tensor gets: as llama.cpp chooses it (src/llama-quant.cpp).
#include "tools/quantize/quantize_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "io/gguf.h"
#include "tests/support/temp_dir.h"

namespace skald::quantize_plan_test {
namespace {

using Types = std::map<std::string, std::string>;

// A file of tensors whose rows are whole blocks of all types.
class QuantizePlan : public testing::Test {
 protected:
  void SetUp() override { writer_.meta.set("general.architecture", std::string("x")); }

  void add(const std::string& name, const Shape& shape) {
    values_.emplace_back(static_cast<size_t>(shape.elements()), 0.5f);
    writer_.add_tensor(name, shape, 0, std::as_bytes(std::span(values_.back())));
  }

  Types types(const QuantizeSpec& spec) {
    writer_.meta.set("x.block_count", uint32_t{8});
    const std::string path = dir_.path("in.gguf");
    writer_.write(path);
    const Gguf file = Gguf::open(path, FileBytes::How::kRead);
    Types out;
    for (const TensorPlan& t : plan_quantize(file, spec)) out[t.tensor->name] = t.type().name;
    return out;
  }

  test::TempDir dir_;
  GgufWriter writer_;
  std::deque<std::vector<float>> values_;
};

TEST_F(QuantizePlan, SmallMatricesAndWhatIsReadAsFloatsStayAsTheyAre) {
  const std::vector<std::pair<std::string, Shape>> kept = {
      {"blk.0.ssm_conv1d.weight", {256, 4}},
      {"blk.0.ssm_conv1d_q.weight", {1, 256, 1, 4}},
      {"blk.0.shortconv.conv.weight", {256, 3}},
      {"blk.0.ssm_a", {256, 1}},
      {"blk.0.ssm_d", {256, 1}},
      {"blk.0.ssm_norm.weight", {2, 256}},
      {"blk.0.ssm_dt.bias", {256}},
      {"blk.0.ffn_gate_inp.weight", {8, 256}},
      {"blk.0.ffn_gate_inp_shexp.weight", {256}},
      {"blk.0.exp_probs_b.bias", {256}},
      {"altup_proj.weight", {3, 256, 256}},
      {"blk.0.altup_router.weight", {4, 256}},
      {"blk.0.laurel_l.weight", {64, 256}},
      {"per_layer_model_proj.weight", {256, 256}},
      {"blk.0.layer_output_scale.weight", {1}},
      {"enc.blk.0.attn_rel_b.weight", {32, 256}},
      {"position_embd.weight", {16, 256}},
      {"token_types.weight", {2, 256}},
      {"token_embd_norm.weight", {256}},
      {"blk.0.ffn_down_exps.scale", {256}},
  };
  for (const auto& [name, shape] : kept) add(name, shape);
  for (const auto& [name, type] : types({.type = "Q4_K_M"})) EXPECT_EQ(type, "f32") << name;
}

TEST_F(QuantizePlan, MatricesOfOtherBlocksThanAttentionGetTheUsualType) {
  for (const char* name :
       {"ssm_in",       "ssm_out",           "ssm_alpha",          "ssm_beta",     "ssm_ba",           "ssm_f_a",
        "ssm_g_b",      "shortconv.in_proj", "shortconv.out_proj", "attn_gate",    "inp_gate",         "proj",
        "attn_q_a",     "attn_kv_a_mqa",     "attn_k_b",           "attn_v_b",     "indexer.attn_q_b", "indexer.attn_k",
        "indexer.proj", "ffn_latent_down",   "ffn_latent_up",      "ffn_up_shexp", "ffn_gate_up_exps", "attn_k",
        "attn_q",       "attn_output"})
    add("blk.3." + std::string(name) + ".weight", {8, 256});
  add("cls.weight", {8, 256});
  for (const auto& [name, type] : types({.type = "Q4_K_M"})) EXPECT_EQ(type, "q4_k") << name;
}

TEST_F(QuantizePlan, LayersWithoutAttentionDoNotCountAsOnesWithValues) {
  // Of four layers with values the first and the last get more bits, and of the others every third.
  for (const int i : {1, 3, 5, 7}) add("blk." + std::to_string(i) + ".attn_v.weight", {8, 256});
  for (const int i : {0, 2, 4, 6}) add("blk." + std::to_string(i) + ".ssm_in.weight", {8, 256});
  const Types got = types({.type = "Q4_K_M"});
  EXPECT_EQ(got.at("blk.1.attn_v.weight"), "q4_k");
  EXPECT_EQ(got.at("blk.5.attn_v.weight"), "q6_k");
  EXPECT_EQ(got.at("blk.7.attn_v.weight"), "q6_k");
}

TEST_F(QuantizePlan, OneMatrixOfQueriesKeysAndValuesCountsAsValues) {
  for (const int i : {0, 1, 2}) add("blk." + std::to_string(i) + ".attn_qkv.weight", {8, 256});
  add("blk.3.attn_v.weight", {8, 256});
  const Types got = types({.type = "Q3_K_M"});
  EXPECT_EQ(got.at("blk.1.attn_qkv.weight"), "q5_k");
  EXPECT_EQ(got.at("blk.2.attn_qkv.weight"), "q4_k");
  EXPECT_EQ(got.at("blk.3.attn_v.weight"), "q4_k");
}

TEST_F(QuantizePlan, EmbeddingsOfLayersAreThoseOfTokensUnlessTheyAreNamed) {
  add("token_embd.weight", {8, 256});
  add("per_layer_token_embd.weight", {8, 256});
  EXPECT_EQ(types({.type = "Q4_K_M"}).at("per_layer_token_embd.weight"), "q6_k") << "tied";
  EXPECT_EQ(types({.type = "Q4_K_M", .embedding_type = "q8_0"}).at("per_layer_token_embd.weight"), "q8_0");
  const Types named = types({.type = "Q4_K_M", .tensor_types = {"per_layer_token_embd=q5_0"}, .embedding_type = "q8_0"});
  EXPECT_EQ(named.at("per_layer_token_embd.weight"), "q5_0");
  EXPECT_EQ(named.at("token_embd.weight"), "q8_0");
}

}  // namespace
}  // namespace skald::quantize_plan_test
