// Gemma 3n and 4: a golden model's tensors, brought into the form of a checkpoint, convert back.
#include "tests/convert/family_case.h"

namespace skald::later_gemma_test {
namespace {

using test::Back;
using test::expect_conversion;
using test::gated_ffn;

void gemma(Back& b) {
  const std::string layer = "model.layers.#.";
  test::projections(b);
  gated_ffn(b);
  for (const auto& [from, to] : {std::pair{"attn_q_norm", "self_attn.q_norm"},
                                 {"attn_k_norm", "self_attn.k_norm"},
                                 {"post_attention_norm", "post_attention_layernorm"},
                                 {"ffn_norm", "pre_feedforward_layernorm"},
                                 {"post_ffw_norm", "post_feedforward_layernorm"},
                                 {"inp_gate", "per_layer_input_gate"},
                                 {"proj", "per_layer_projection"},
                                 {"post_norm", "post_per_layer_input_norm"}})
    b.add(std::string("blk.#.") + from, layer + to);
  b.add("per_layer_token_embd", "model.embed_tokens_per_layer");
  b.add("per_layer_model_proj", "model.per_layer_model_projection");
  b.add("per_layer_proj_norm", "model.per_layer_projection_norm");
}

void gemma4(Back& b) {
  const std::string layer = "model.layers.#.";
  gemma(b);
  b.add_named("blk.#.layer_output_scale.weight", layer + "layer_scalar");
  for (const char* which : {"post_ffw_norm_1", "post_ffw_norm_2", "pre_ffw_norm_2"}) {
    std::string name = which;
    name.replace(name.find("ffw_norm"), 8, "feedforward_layernorm");
    b.add(std::string("blk.#.") + which, layer + name);
  }
  b.add("blk.#.ffn_gate_inp", layer + "router.proj");
  b.add_named("blk.#.ffn_gate_inp.scale", layer + "router.scale");
  b.add_named("blk.#.ffn_down_exps.scale", layer + "router.per_expert_scale");
  b.add_named("blk.#.ffn_gate_up_exps.weight", layer + "experts.gate_up_proj");  // which is taken apart
  b.add_named("blk.#.ffn_down_exps.weight", layer + "experts.down_proj");
}

constexpr const char* kRopes = R"("rope_theta": null, "rope_parameters": {
    "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}, "sliding_window": 64, "head_dim": 16,
    "hidden_activation": "gelu_pytorch_tanh", "final_logit_softcapping": 5.0)";

TEST(HfFamilyGemma4, LayersReadTheCacheOfOthersAndTheirOwnKeysAreLeftOut) {
  expect_conversion({"gemma4",
                     (R"({"architectures": ["Gemma4ForCausalLM"], "intermediate_size": 32,
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
      "global_head_dim": 32, "num_kv_shared_layers": 2, "hidden_size_per_layer_input": 8, "use_double_wide_mlp": true, )" +
                      std::string(kRopes) + "}")
                         .c_str(),
                     [](Back& b) {
                       gemma4(b);
                       b.add("blk.0.attn_k", "model.layers.3.self_attn.k_proj");
                       b.add("blk.0.attn_k_norm", "model.layers.2.self_attn.k_norm");
                       b.add("blk.0.attn_q", "model.embed_vision.embedding_projection");
                     }});
}

TEST(HfFamilyGemma4, HeadsOfSingleLayersAndExperts) {
  expect_conversion({"gemma4_moe",
                     (R"({"architectures": ["Gemma4ForCausalLM"], "num_key_value_heads": 2,
      "layer_types": ["sliding_attention", "full_attention"], "attention_k_eq_v": true, "enable_moe_block": true,
      "per_layer_config": {"1": {"head_dim": 32, "num_key_value_heads": 1}}, "num_experts": 4, "top_k_experts": 2,
      "moe_intermediate_size": 32, )" +
                      std::string(kRopes) + "}")
                         .c_str(),
                     gemma4});
}

TEST(HfFamilyGemma3n, StreamsLieInOneTensor) {
  expect_conversion(
      {"gemma3n",
       R"({"architectures": ["Gemma3nForCausalLM"], "intermediate_size": [32, 32, 32, 32],
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"], "head_dim": 16,
      "num_kv_shared_layers": 2, "hidden_size_per_layer_input": 8, "sliding_window": 64, "rope_theta": null,
      "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e6},
                          "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}},
      "activation_sparsity_pattern": [0.95, 0.0, 0.95, 0.0], "final_logit_softcapping": 5.0,
      "hidden_activation": "gelu_pytorch_tanh"})",
       [](Back& b) {
         const std::string layer = "model.layers.#.";
         gemma(b);
         b.add("altup_proj", "model.altup_projections.@").add("altup_unembd_proj", "model.altup_unembed_projections.@");
         b.add_named("blk.#.altup_correct_scale.weight", layer + "altup.correct_output_scale");
         for (const auto& [from, to] : {std::pair{"altup_correct_coef", "altup.correction_coefs"},
                                        {"altup_router", "altup.modality_router"},
                                        {"altup_predict_coef", "altup.prediction_coefs"},
                                        {"altup_router_norm", "altup.router_norm"},
                                        {"laurel_l", "laurel.linear_left"},
                                        {"laurel_r", "laurel.linear_right"},
                                        {"laurel_post_norm", "laurel.post_laurel_norm"}})
           b.add(std::string("blk.#.") + from, layer + to);
       },
       {"activation_sparsity_scale"}});
}

}  // namespace
}  // namespace skald::later_gemma_test
