#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;
using test::gated_ffn;

// kv_b_proj of 4 heads: in each, 16 rows that make its keys and 24 that make its values of the 32 of the latent vector.
constexpr int64_t kHeads = 4, kKey = 16, kValue = 24, kRank = 32;

std::pair<size_t, int64_t> in_parts(int64_t i) {
  const int64_t head = i / kRank / (kKey + kValue), row = i / kRank % (kKey + kValue), col = i % kRank;
  if (row < kKey) return {0, (head * kRank + col) * kKey + row};
  return {1, (head * kValue + row - kKey) * kRank + col};
}

void deepseek3(Back& b) {
  attention(b);
  gated_ffn(b);
  for (const auto& [from, to] : {std::pair{"q_a", "q_a_proj"},
                                 {"q_a_norm", "q_a_layernorm"},
                                 {"q_b", "q_b_proj"},
                                 {"kv_a_mqa", "kv_a_proj_with_mqa"},
                                 {"kv_a_norm", "kv_a_layernorm"}})
    b.add(std::string("blk.#.attn_") + from, std::string("model.layers.#.self_attn.") + to);
  b.join({"blk.#.attn_k_b.weight", "blk.#.attn_v_b.weight"}, "model.layers.#.self_attn.kv_b_proj.weight",
         {kHeads * (kKey + kValue), kRank}, in_parts);
  b.add("blk.#.ffn_gate_inp", "model.layers.#.mlp.gate");
  b.add_named("blk.#.exp_probs_b.bias", "model.layers.#.mlp.gate.e_score_correction_bias");
  for (const std::string what : {"gate", "up", "down"}) {
    b.add("blk.#.ffn_" + what + "_exps", "model.layers.#.mlp.experts.@." + what + "_proj");
    b.add("blk.#.ffn_" + what + "_shexp", "model.layers.#.mlp.shared_experts." + what + "_proj");
  }
  b.add("blk.0.attn_norm", "model.layers.2.enorm");  // of a layer that looks further ahead
}

TEST(HfFamilyDeepseek, V3AndItsLayerThatLooksFurtherAhead) {
  expect_conversion({"deepseek3", R"({"architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3",
      "num_key_value_heads": 4, "head_dim": null, "q_lora_rank": 24, "kv_lora_rank": 32, "qk_nope_head_dim": 16,
      "qk_rope_head_dim": 8, "v_head_dim": 24, "n_routed_experts": 8, "n_shared_experts": 2, "num_experts_per_tok": 3,
      "moe_intermediate_size": 32, "first_k_dense_replace": 1, "n_group": 4, "topk_group": 2, "norm_topk_prob": true,
      "routed_scaling_factor": 2.5, "scoring_func": "sigmoid", "topk_method": "noaux_tc", "num_nextn_predict_layers": 1,
      "rope_scaling": {"type": "yarn", "factor": 8, "original_max_position_embeddings": 64, "beta_fast": 32, "beta_slow": 1,
                       "mscale": 0.707, "mscale_all_dim": 0.707}})",
                     deepseek3});
}

}  // namespace
}  // namespace skald
