// Decoders with experts of 2025 and 2026: a golden model's tensors, brought into the form of a checkpoint, convert back.
#include "tests/convert/family_case.h"

namespace skald::later_experts_test {
namespace {

using test::Back;
using test::expect_conversion;
using test::expect_layer_ahead;
using test::gated_ffn;
using test::projections;
using test::StandIn;

struct Names {
  std::string experts = "mlp.experts", router = "mlp.gate", bias = "mlp.gate.e_score_correction_bias",
              shared = "mlp.shared_experts";
  const char *gate = "gate_proj", *up = "up_proj", *down = "down_proj", *q_norm = "q_norm", *k_norm = "k_norm",
             *ffn_norm = "post_attention_layernorm";
};

void decoder(Back& b, const Names& n = {}) {
  projections(b);
  b.add("blk.#.ffn_norm", std::string("model.layers.#.") + n.ffn_norm);
  gated_ffn(b);
  const std::string layer = "model.layers.#.";
  b.add("blk.#.attn_q_norm", layer + "self_attn." + n.q_norm).add("blk.#.attn_k_norm", layer + "self_attn." + n.k_norm);
  b.add("blk.#.ffn_gate_inp", layer + n.router);
  b.add_named("blk.#.exp_probs_b.bias", layer + n.bias);
  for (const auto& [what, is] : {std::pair{"gate", n.gate}, {"up", n.up}, {"down", n.down}}) {
    b.add(std::string("blk.#.ffn_") + what + "_exps", layer + n.experts + ".@." + is);
    b.add(std::string("blk.#.ffn_") + what + "_shexp", layer + n.shared + "." + what + "_proj");
  }
}

void usual(Back& b) { decoder(b); }

constexpr const char* kGlm4Moe = R"({"architectures": ["Glm4MoeForCausalLM"], "moe_intermediate_size": 16,
      "n_routed_experts": 5, "num_experts_per_tok": 2, "n_shared_experts": 1, "first_k_dense_replace": 1, "n_group": 1,
      "topk_group": 1, "norm_topk_prob": true, "routed_scaling_factor": 1.5, "partial_rotary_factor": 0.5,
      "attention_bias": true, "num_nextn_predict_layers": 1})";

void glm4moe(Back& b) {
  decoder(b);
  b.add("blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm");
}

TEST(HfFamilyGlm4Moe, PartsOfALayerThatPredictsFurtherTokensAreLeftOut) {
  expect_conversion({"glm4moe", kGlm4Moe, [](Back& b) {
                       glm4moe(b);
                       b.add("blk.0.attn_norm", "model.layers.3.enorm");
                     }});
}

// Layer `from` of the golden file as one of the checkpoint, but for its feed-forward.
std::vector<StandIn> attention_ahead(int64_t from, const std::string& layer) {
  const std::string blk = fmt::format("blk.{}.", from);
  std::vector<StandIn> out = {{blk + "attn_norm", layer + "input_layernorm", "attn_norm"},
                              {blk + "attn_output", layer + "self_attn.o_proj", "attn_output"}};
  for (const std::string what : {"q", "k", "v"})
    out.push_back({blk + "attn_" + what, layer + "self_attn." + what + "_proj", "attn_" + what});
  for (const std::string what : {"q_norm", "k_norm"})
    out.push_back({blk + "attn_" + what, layer + "self_attn." + what, "attn_" + what});
  return out;
}

// A dense one, of the golden file's first layer.
void add_dense(std::vector<StandIn>& out, const std::string& layer) {
  out.push_back({"blk.0.ffn_norm", layer + "post_attention_layernorm", "ffn_norm"});
  for (const std::string what : {"gate", "up", "down"})
    out.push_back({"blk.0.ffn_" + what, layer + "mlp." + what + "_proj", "ffn_" + what});
}

TEST(HfFamilyGlm4Moe, ALayerThatPredictsFurtherTokensIsKept) {
  const std::string layer = "model.layers.3.";
  std::vector<StandIn> ahead = attention_ahead(2, layer);
  for (const auto& [from, to, name] : {std::tuple{"blk.0.attn_norm", "enorm", "nextn.enorm"},
                                       {"blk.1.attn_norm", "hnorm", "nextn.hnorm"},
                                       {"blk.2.attn_norm", "shared_head.norm", "nextn.shared_head_norm"},
                                       {"token_embd", "embed_tokens", "nextn.embed_tokens"},
                                       {"output", "shared_head.head", "nextn.shared_head_head"},
                                       {"blk.2.post_attention_norm", "post_attention_layernorm", "post_attention_norm"},
                                       {"blk.2.ffn_gate_inp", "mlp.gate", "ffn_gate_inp"}})
    ahead.push_back({from, layer + to, name});
  for (const std::string what : {"gate", "up", "down"}) {
    ahead.push_back({"blk.2.ffn_" + what + "_exps", layer + "mlp.experts.@." + what + "_proj", "ffn_" + what + "_exps"});
    ahead.push_back(
        {"blk.2.ffn_" + what + "_shexp", layer + "mlp.shared_experts." + what + "_proj", "ffn_" + what + "_shexp"});
  }
  expect_layer_ahead({"glm4moe", kGlm4Moe, glm4moe}, layer + "eh_proj.weight", ahead);
}

TEST(HfFamilyErnie, ALayerThatPredictsFurtherTokensIsKept) {
  const std::string layer = "model.mtp_block.0.";
  std::vector<StandIn> ahead = attention_ahead(1, layer);
  add_dense(ahead, layer);
  ahead.push_back({"blk.0.attn_norm", "model.mtp_emb_norm.0", "nextn.enorm"});
  ahead.push_back({"blk.1.attn_norm", "model.mtp_hidden_norm.0", "nextn.hnorm"});
  expect_layer_ahead({"ernie45moe", R"({"architectures": ["Ernie4_5_MoeForCausalLM"], "moe_intermediate_size": 16,
      "moe_num_experts": 5, "moe_k": 2, "moe_num_shared_experts": 2, "moe_layer_start_index": 1, "moe_layer_interval": 1,
      "moe_layer_end_index": -1, "num_nextn_predict_layers": 1})",
                      [](Back& b) { decoder(b, {.bias = "mlp.moe_statics.e_score_correction_bias"}); }},
                     "model.mtp_linear_proj.0.weight", ahead);
}

TEST(HfFamilyExaoneMoe, ALayerThatPredictsFurtherTokensIsKept) {
  const std::string layer = "mtp.layers.0.";
  std::vector<StandIn> ahead = attention_ahead(1, layer);
  add_dense(ahead, layer);
  ahead.push_back({"blk.0.attn_norm", "mtp.pre_fc_norm_embedding", "nextn.enorm"});
  ahead.push_back({"blk.1.attn_norm", "mtp.pre_fc_norm_hidden", "nextn.hnorm"});
  ahead.push_back({"blk.2.attn_norm", "mtp.norm", "nextn.shared_head_norm"});
  expect_layer_ahead({"exaonemoe",
                      R"({"architectures": ["ExaoneMoeForCausalLM"], "moe_intermediate_size": 16,
      "num_experts": 4, "num_experts_per_tok": 2, "num_shared_experts": 1, "n_group": 1, "topk_group": 1,
      "routed_scaling_factor": 2.5, "sliding_window": 64, "sliding_window_pattern": "LLLG",
      "mlp_layer_types": ["dense", "sparse", "sparse", "sparse"], "num_nextn_predict_layers": 1})",
                      [](Back& b) { decoder(b, {.bias = "mlp.e_score_correction_bias"}); },
                      {"nextn_predict_layers", "rope.scaling.type"}},
                     "mtp.fc.weight", ahead);
}

TEST(HfFamilyMiniMaxM2, Converts) {
  expect_conversion({"minimaxm2", R"({"architectures": ["MiniMaxM2ForCausalLM"], "num_local_experts": 5,
      "num_experts_per_tok": 2, "rotary_dim": 8, "scoring_func": "sigmoid", "use_qk_norm": true,
      "qk_norm_type": "per_layer", "shared_intermediate_size": 0})",
                     [](Back& b) {
                       decoder(b, {.experts = "block_sparse_moe.experts",
                                   .router = "block_sparse_moe.gate",
                                   .bias = "block_sparse_moe.e_score_correction_bias",
                                   .gate = "w1",
                                   .up = "w3",
                                   .down = "w2"});
                     }});
}

TEST(HfFamilyErnie, WithExperts) {
  expect_conversion({"ernie45moe", R"({"architectures": ["Ernie4_5_MoeForCausalLM"], "moe_intermediate_size": 16,
      "moe_num_experts": 5, "moe_k": 2, "moe_num_shared_experts": 2, "moe_layer_start_index": 1, "moe_layer_interval": 1,
      "moe_layer_end_index": -1})",
                     [](Back& b) { decoder(b, {.bias = "mlp.moe_statics.e_score_correction_bias"}); }});
}

TEST(HfFamilyHunyuan, WithExperts) {
  expect_conversion(
      {"hunyuanmoe", R"({"architectures": ["HunYuanMoEV1ForCausalLM"], "num_experts": 4, "moe_topk": [2, 2],
      "moe_intermediate_size": [16, 16], "num_shared_expert": [1, 1]})",
       [](Back& b) {
         decoder(
             b,
             {.router = "mlp.gate.wg", .shared = "mlp.shared_mlp", .q_norm = "query_layernorm", .k_norm = "key_layernorm"});
       }});
}

TEST(HfFamilyExaoneMoe, Converts) {
  expect_conversion({"exaonemoe",
                     R"({"architectures": ["ExaoneMoeForCausalLM"], "moe_intermediate_size": 16,
      "num_experts": 4, "num_experts_per_tok": 2, "num_shared_experts": 1, "n_group": 1, "topk_group": 1,
      "routed_scaling_factor": 2.5, "sliding_window": 64, "sliding_window_pattern": "LLLG",
      "mlp_layer_types": ["dense", "sparse", "sparse", "sparse"]})",
                     [](Back& b) { decoder(b, {.bias = "mlp.e_score_correction_bias"}); },
                     {"nextn_predict_layers", "rope.scaling.type"}});
}

TEST(HfFamilyAfmoe, Converts) {
  expect_conversion({"afmoe", R"({"architectures": ["AfmoeForCausalLM"], "moe_intermediate_size": 16, "num_experts": 4,
      "num_experts_per_tok": 2, "num_shared_experts": 1, "num_dense_layers": 1, "n_group": 1, "topk_group": 1,
      "route_norm": true, "route_scale": 2.0, "score_func": "sigmoid", "mup_enabled": true, "sliding_window": 64,
      "global_attn_every_n_layers": 4})",
                     [](Back& b) {
                       decoder(b, {.router = "mlp.router.gate", .bias = "mlp.expert_bias", .ffn_norm = "pre_mlp_layernorm"});
                       b.add("blk.#.attn_gate", "model.layers.#.self_attn.gate_proj");
                       b.add("blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm");
                       b.add("blk.#.post_ffw_norm", "model.layers.#.post_mlp_layernorm");
                     }});
}

TEST(HfFamilyMellum, RopeIsScaledInLayersWithoutAWindow) {
  expect_conversion({"mellum", R"({"architectures": ["MellumForCausalLM"], "moe_intermediate_size": 16,
      "num_local_experts": 4, "num_experts_per_tok": 2, "norm_topk_prob": true, "sliding_window": 64, "rope_theta": null,
      "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"],
      "rope_parameters": {"full_attention": {"rope_type": "yarn", "rope_theta": 5e5, "factor": 4.0, "beta_fast": 32.0,
                                             "beta_slow": 1.0, "original_max_position_embeddings": 64},
                          "sliding_attention": {"rope_type": "default", "rope_theta": 5e5}}})",
                     usual});
}

TEST(HfFamilyOlmoe, Converts) {
  expect_conversion({"olmoe", R"({"architectures": ["OlmoeForCausalLM"], "num_experts": 5, "num_experts_per_tok": 2,
      "norm_topk_prob": false})",
                     usual});
}

TEST(HfFamilyLaguna, LayersDifferInHeads) {
  expect_conversion({"laguna", R"({"architectures": ["LagunaForCausalLM"], "moe_intermediate_size": 16,
      "shared_expert_intermediate_size": 16, "num_experts": 4, "num_experts_per_tok": 2, "moe_routed_scaling_factor": 2.0,
      "num_attention_heads_per_layer": [2, 4, 4, 2], "gating": "per-head", "sliding_window": 64, "rope_theta": null,
      "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "sliding_attention"],
      "rope_parameters": {
          "full_attention": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5},
          "sliding_attention": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 1.0}}})",
                     [](Back& b) {
                       decoder(b, {.bias = "mlp.experts.e_score_correction_bias", .shared = "mlp.shared_expert"});
                       b.add("blk.#.attn_gate", "model.layers.#.self_attn.g_proj");
                     }});
}

TEST(HfFamilyCohere2Moe, Converts) {
  expect_conversion({"cohere2moe",
                     R"({"architectures": ["Cohere2MoeForCausalLM"], "intermediate_size": 16,
      "prefix_dense_intermediate_size": 32, "num_experts": 4, "num_experts_per_tok": 2, "num_shared_experts": 1,
      "first_k_dense_replace": 1, "expert_selection_fn": "sigmoid", "norm_topk_prob": true, "logit_scale": 0.5,
      "sliding_window": 64,
      "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "sliding_attention"]})",
                     usual,
                     {"rope.scaling.type"}});
}

}  // namespace
}  // namespace skald::later_experts_test
