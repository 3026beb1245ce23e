// Dense decoders of 2025 and 2026: a golden model's tensors, brought into the form of a checkpoint, convert back.
#include "tests/convert/family_case.h"

namespace skald::later_decoders_test {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;
using test::gated_ffn;

void llama(Back& b) {
  attention(b);
  gated_ffn(b);
}

void interleaved(Back& b) {
  attention(b, test::halves_of_heads(b.size("attention.key_length")));
  gated_ffn(b);
}

void head_norms(Back& b, const char* q = "q_norm", const char* k = "k_norm") {
  b.add("blk.#.attn_q_norm", std::string("model.layers.#.self_attn.") + q);
  b.add("blk.#.attn_k_norm", std::string("model.layers.#.self_attn.") + k);
}

void post_norms(Back& b) {
  llama(b);
  head_norms(b);
  b.add("blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm");
  b.add("blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm");
}

TEST(HfFamilyMistral3, MinistralsQueriesGrowWithTheirPosition) {
  expect_conversion({"ministral3", R"({"architectures": ["Ministral3ForCausalLM"], "model_type": "ministral3",
      "rope_parameters": {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0,
                          "mscale": 1.0, "mscale_all_dim": 1.0, "original_max_position_embeddings": 64,
                          "llama_4_scaling_beta": 0.1}})",
                     interleaved});
}

TEST(HfFamilyMistral3, TheTextModelOfOnesThatTakePictures) {
  expect_conversion({"ministral3", R"({"architectures": ["Mistral3ForConditionalGeneration"], "text_config": {
      "model_type": "ministral3", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
      "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "max_position_embeddings": 256,
      "vocab_size": 448, "rms_norm_eps": 1e-5,
      "rope_parameters": {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0,
                          "mscale": 1.0, "mscale_all_dim": 1.0, "original_max_position_embeddings": 64,
                          "llama_4_scaling_beta": 0.1}}})",
                     [](Back& b) {
                       interleaved(b);
                       b.add("blk.0.attn_q", "vision_tower.transformer.layers.0.attention.q_proj");
                     }});
}

TEST(HfFamilySeedOss, Converts) {
  expect_conversion({"seedoss", R"({"architectures": ["SeedOssForCausalLM"], "attention_bias": true})", [](Back& b) {
                       llama(b);
                       b.add("blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm");
                     }});
}

TEST(HfFamilyErnie, Dense) { expect_conversion({"ernie45", R"({"architectures": ["Ernie4_5ForCausalLM"]})", llama}); }

TEST(HfFamilyHunyuan, Dense) {
  expect_conversion({"hunyuandense", R"({"architectures": ["HunYuanDenseV1ForCausalLM"]})", [](Back& b) {
                       llama(b);
                       head_norms(b, "query_layernorm", "key_layernorm");
                     }});
}

TEST(HfFamilyExaone4, LayersWithAWindow) {
  for (const char* pattern : {R"("LLLG")", "4"})
    expect_conversion({"exaone4",
                       (R"({"architectures": ["Exaone4ForCausalLM"], "sliding_window": 64, "sliding_window_pattern": )" +
                        std::string(pattern) + "}")
                           .c_str(),
                       post_norms});
}

TEST(HfFamilyOlmo3, LayersWithAWindow) {
  expect_conversion({"olmo3", R"({"architectures": ["Olmo3ForCausalLM"], "sliding_window": 64, "rope_theta": null,
      "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"],
      "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 5e5},
                          "sliding_attention": {"rope_type": "default", "rope_theta": 5e5}}})",
                     post_norms});
}

TEST(HfFamilyMuseGlimmer, NormsOfHeadsAreMade) {
  expect_conversion({"museglimmer",
                     R"({"architectures": ["MuseGlimmerForConditionalGeneration"], "sliding_window": 64,
      "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"],
      "layer_rope_theta": [5e5, 5e5, 5e5, 0], "rope_parameters": {"rope_type": "default", "rope_theta": 5e5},
      "final_logit_softcapping": 5.0, "output_multiplier": 0.6, "qk_scale_factor": 2.5, "post_norm_eps": 1e-8})",
                     [](Back& b) {
                       const auto heads = test::halves_of_heads(b.size("attention.key_length"));
                       const std::string layer = "model.language_model.layers.#.";
                       b.add("token_embd", "model.language_model.embed_tokens").add("output", "lm_head");
                       b.add("output_norm", "model.language_model.norm");
                       b.add("blk.#.attn_q", layer + "self_attn.q_proj", heads);
                       b.add("blk.#.attn_k", layer + "self_attn.k_proj", heads);
                       for (const auto& [from, to] : {std::pair{"attn_v", "self_attn.v_proj"},
                                                      {"attn_gate", "self_attn.gate_proj"},
                                                      {"attn_output", "self_attn.o_proj"},
                                                      {"ffn_gate", "mlp.gate_proj"},
                                                      {"ffn_up", "mlp.up_proj"},
                                                      {"ffn_down", "mlp.down_proj"}})
                         b.add(std::string("blk.#.") + from, layer + to);
                       for (const auto& [from, to] : {std::pair{"attn_norm", "input_layernorm"},
                                                      {"post_attention_norm", "post_attention_layernorm"},
                                                      {"ffn_norm", "pre_feedforward_layernorm"},
                                                      {"post_ffw_norm", "post_feedforward_layernorm"}})
                         b.add(std::string("blk.#.") + from, layer + to, test::minus_one);
                     },
                     {},
                     /*computed=*/true});
}

TEST(HfFamilyArcee, Converts) {
  expect_conversion({"arcee", R"({"architectures": ["ArceeForCausalLM"], "hidden_act": "relu2"})", interleaved});
}

}  // namespace
}  // namespace skald::later_decoders_test
