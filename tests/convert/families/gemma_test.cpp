#include "tests/convert/family_case.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;
using test::gated_ffn;

// Models for text and those that take pictures differ in the prefix of names.
void gemma_by(Back& b, const std::string& front) {
  b.add("token_embd", front + ".embed_tokens").add("output_norm", front + ".norm", test::minus_one);
  const std::string layer = front + ".layers.#.";
  for (const auto& [from, to] : {std::pair{"blk.#.attn_q", "q_proj"},
                                 {"blk.#.attn_k", "k_proj"},
                                 {"blk.#.attn_v", "v_proj"},
                                 {"blk.#.attn_output", "o_proj"}})
    b.add(from, layer + "self_attn." + to);
  b.add("blk.#.attn_norm", layer + "input_layernorm", test::minus_one);
  for (const auto& [from, to] :
       {std::pair{"blk.#.ffn_gate", "gate_proj"}, {"blk.#.ffn_up", "up_proj"}, {"blk.#.ffn_down", "down_proj"}})
    b.add(from, layer + "mlp." + to);
}

void gemma(Back& b) {
  gemma_by(b, "model");
  b.add("blk.#.ffn_norm", "model.layers.#.post_attention_layernorm", test::minus_one);
}

void sandwich_norms(Back& b, const std::string& front) {
  const std::string layer = front + ".layers.#.";
  b.add("blk.#.post_attention_norm", layer + "post_attention_layernorm", test::minus_one);
  b.add("blk.#.ffn_norm", layer + "pre_feedforward_layernorm", test::minus_one);
  b.add("blk.#.post_ffw_norm", layer + "post_feedforward_layernorm", test::minus_one);
}

void gemma2(Back& b) {
  gemma_by(b, "model");
  sandwich_norms(b, "model");
}

void gemma3_by(Back& b, const std::string& front) {
  gemma_by(b, front);
  sandwich_norms(b, front);
  b.add("blk.#.attn_q_norm", front + ".layers.#.self_attn.q_norm", test::minus_one);
  b.add("blk.#.attn_k_norm", front + ".layers.#.self_attn.k_norm", test::minus_one);
}

void gemma3(Back& b) { gemma3_by(b, "model"); }

void gemma3_with_pictures(Back& b) {
  gemma3_by(b, "language_model.model");
  b.add("blk.0.attn_q", "vision_tower.vision_model.encoder.layers.0.self_attn.q_proj");
}

TEST(HfFamilyGemma, TheFirst) { expect_conversion({"gemma", R"({"architectures": ["GemmaForCausalLM"]})", gemma}); }

TEST(HfFamilyGemma, TheOutputMatrixIsTiedWhereNothingIsSaid) {
  expect_conversion({"gemma", R"({"architectures": ["GemmaForCausalLM"]})", [](Back& b) {
                       gemma(b);
                       b.add("token_embd", "lm_head");
                     }});
}

TEST(HfFamilyGemma, Gemma2) {
  expect_conversion({"gemma2", R"({"architectures": ["Gemma2ForCausalLM"], "sliding_window": 64,
      "attn_logit_softcapping": 2.0, "final_logit_softcapping": 5.0, "query_pre_attn_scalar": 32})",
                     gemma2});
}

TEST(HfFamilyGemma, ScalesThatReadersWouldNotTakeAreWritten) {
  const auto scale_of = [](float scalar, int64_t n_layers) {
    const nlohmann::json config = {{"query_pre_attn_scalar", scalar},
                                   {"num_hidden_layers", n_layers},
                                   {"head_dim", 16},
                                   {"num_attention_heads", 4},
                                   {"hidden_size", 100}};
    Meta meta;
    Hyperparameters out(meta, "gemma2");
    query_scale_key(HfConfig(config), out, 46);
    return meta.find("gemma2.attention.scale") ? meta.f32("gemma2.attention.scale") : 0;
  };
  EXPECT_EQ(scale_of(16, 42), 0);
  EXPECT_EQ(scale_of(25, 42), 0.2F);
  EXPECT_EQ(scale_of(25, 46), 0) << "known by its layers";
  EXPECT_EQ(scale_of(16, 46), 0.25F);
  EXPECT_EQ(test::error_of([&] { scale_of(0, 42); }).code(), Errc::kBadFile);
}

TEST(HfFamilyGemma, Gemma3) {
  expect_conversion({"gemma3", R"({"architectures": ["Gemma3ForCausalLM"], "rope_local_base_freq": 10000.0,
      "rope_scaling": {"rope_type": "linear", "factor": 8.0}, "sliding_window": 64, "query_pre_attn_scalar": 16,
      "sliding_window_pattern": 6})",
                     gemma3});
}

TEST(HfFamilyGemma, Gemma3ThatTakesPicturesSaysOnlyWhatIsUnusual) {
  expect_conversion({"gemma3", R"({"architectures": ["Gemma3ForConditionalGeneration"], "text_config": {"hidden_size": 64,
      "intermediate_size": 32, "num_hidden_layers": 7, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
      "max_position_embeddings": 256, "query_pre_attn_scalar": 16, "sliding_window": 64,
      "rope_scaling": {"rope_type": "linear", "factor": 8.0}}})",
                     gemma3_with_pictures});
}

}  // namespace
}  // namespace skald
