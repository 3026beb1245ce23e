#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;
using test::gated_ffn;

// kv_b_proj: in each head, rows that make its keys and rows that make its values of the latent vector.
struct LatentSizes {
  int64_t heads, key, value, rank;
};
constexpr LatentSizes kV3{4, 16, 24, 32}, kV32{2, 32, 32, 32}, kGlm{2, 32, 48, 32}, kKimi{2, 16, 16, 32};

template <const LatentSizes& s>
std::pair<size_t, int64_t> of_latent(int64_t i) {
  const int64_t head = i / s.rank / (s.key + s.value), row = i / s.rank % (s.key + s.value), col = i % s.rank;
  if (row < s.key) return {0, (head * s.rank + col) * s.key + row};
  return {1, (head * s.value + row - s.key) * s.rank + col};
}

template <const LatentSizes& s>
void latent(Back& b, const std::string& experts) {
  attention(b);
  gated_ffn(b);
  for (const auto& [from, to] : {std::pair{"q_a", "q_a_proj"},
                                 {"q_a_norm", "q_a_layernorm"},
                                 {"q_b", "q_b_proj"},
                                 {"kv_a_mqa", "kv_a_proj_with_mqa"},
                                 {"kv_a_norm", "kv_a_layernorm"}})
    b.add(std::string("blk.#.attn_") + from, std::string("model.layers.#.self_attn.") + to);
  b.join({"blk.#.attn_k_b.weight", "blk.#.attn_v_b.weight"}, "model.layers.#.self_attn.kv_b_proj.weight",
         {s.heads * (s.key + s.value), s.rank}, of_latent<s>);
  const std::string moe = "model.layers.#." + experts;
  b.add("blk.#.ffn_gate_inp", moe + ".gate");
  b.add_named("blk.#.exp_probs_b.bias", moe + ".gate.e_score_correction_bias");
  for (const std::string what : {"gate", "up", "down"})
    b.add("blk.#.ffn_" + what + "_shexp", moe + ".shared_experts." + what + "_proj");
}

void experts_by_words(Back& b) {
  for (const std::string what : {"gate", "up", "down"})
    b.add("blk.#.ffn_" + what + "_exps", "model.layers.#.mlp.experts.@." + what + "_proj");
}

void deepseek3(Back& b) {
  latent<kV3>(b, "mlp");
  experts_by_words(b);
  b.add("blk.0.attn_norm", "model.layers.2.enorm");  // of a layer that looks further ahead
}

TEST(HfFamilyDeepseek, V3AndPartOfItsLayerThatLooksFurtherAhead) {
  expect_conversion({"deepseek3", R"({"architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3",
      "num_key_value_heads": 4, "head_dim": null, "q_lora_rank": 24, "kv_lora_rank": 32, "qk_nope_head_dim": 16,
      "qk_rope_head_dim": 8, "v_head_dim": 24, "n_routed_experts": 8, "n_shared_experts": 2, "num_experts_per_tok": 3,
      "moe_intermediate_size": 32, "first_k_dense_replace": 1, "n_group": 4, "topk_group": 2, "norm_topk_prob": true,
      "routed_scaling_factor": 2.5, "scoring_func": "sigmoid", "topk_method": "noaux_tc", "num_nextn_predict_layers": 1,
      "rope_scaling": {"type": "yarn", "factor": 8, "original_max_position_embeddings": 64, "beta_fast": 32, "beta_slow": 1,
                       "mscale": 0.707, "mscale_all_dim": 0.707}})",
                     deepseek3});
}

void indexer(Back& b) {
  for (const auto& [from, to] :
       {std::pair{"k_norm", "k_norm"}, {"proj", "weights_proj"}, {"attn_k", "wk"}, {"attn_q_b", "wq_b"}})
    b.add(std::string("blk.#.indexer.") + from, std::string("model.layers.#.self_attn.indexer.") + to);
}

std::string indexed_config(const char* name, const char* more) {
  return R"({"num_key_value_heads": 2, "head_dim": null, "q_lora_rank": 16, "kv_lora_rank": 32, "qk_nope_head_dim": 32,
      "qk_rope_head_dim": 16, "n_routed_experts": 6, "n_shared_experts": 1, "num_experts_per_tok": 2,
      "moe_intermediate_size": 16, "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1, "norm_topk_prob": true,
      "routed_scaling_factor": 2.5, "index_topk": 48, "index_head_dim": 64, "index_n_heads": 8, "architectures": [")" +
         std::string(name) + "\"], " + more + "}";
}

TEST(HfFamilyDeepseek, V32HasAnIndexer) {
  expect_conversion({"deepseek32", indexed_config("DeepseekV32ForCausalLM", R"("v_head_dim": 32)").c_str(), [](Back& b) {
                       latent<kV32>(b, "mlp");
                       experts_by_words(b);
                       indexer(b);
                     }});
}

TEST(HfFamilyDeepseek, GlmSaysWhichLayersHaveAnIndexer) {
  for (const char* layers :
       {R"("indexer_types": ["full", "full"])", R"("index_topk_pattern": "FF")", R"("index_topk_freq": 1)"})
    expect_conversion(
        {"glmdsa", indexed_config("GlmMoeDsaForCausalLM", (R"("v_head_dim": 48, )" + std::string(layers)).c_str()).c_str(),
         [](Back& b) {
           latent<kGlm>(b, "mlp");
           experts_by_words(b);
           indexer(b);
         }});
}

TEST(HfFamilyKimiLinear, LayersByNumbersFromOne) {
  expect_conversion({"kimilinear",
                     R"({"architectures": ["KimiLinearForCausalLM"], "num_key_value_heads": 2,
      "head_dim": 16, "kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 16, "v_head_dim": 16,
      "q_lora_rank": null, "mla_use_nope": true, "num_experts": 4, "num_experts_per_token": 2, "num_shared_experts": 1,
      "moe_intermediate_size": 16, "first_k_dense_replace": 1, "moe_renormalize": true, "num_expert_group": 1,
      "topk_group": 1, "routed_scaling_factor": 2.4, "moe_router_activation_func": "sigmoid",
      "linear_attn_config": {"full_attn_layers": [4], "kda_layers": [1, 2, 3], "short_conv_kernel_size": 4,
                             "head_dim": 16, "num_heads": 2}})",
                     [](Back& b) {
                       const std::string at = "model.layers.#.self_attn.";
                       latent<kKimi>(b, "block_sparse_moe");
                       for (const auto& [what, is] : {std::pair{"gate", "w1"}, {"down", "w2"}, {"up", "w3"}})
                         b.add(std::string("blk.#.ffn_") + what + "_exps",
                               std::string("model.layers.#.block_sparse_moe.experts.@.") + is);
                       for (const std::string what : {"q", "k", "v"})
                         b.add("blk.#.ssm_conv1d_" + what, at + what + "_conv1d", [](test::BackTensor t) {
                           t.shape = {t.shape[1], 1, t.shape[3]};
                           return t;
                         });
                       for (const auto& [from, to] : {std::pair{"beta", "b_proj"},
                                                      {"f_a", "f_a_proj"},
                                                      {"f_b", "f_b_proj"},
                                                      {"g_a", "g_a_proj"},
                                                      {"g_b", "g_b_proj"},
                                                      {"norm", "o_norm"}})
                         b.add(std::string("blk.#.ssm_") + from, at + to);
                       b.add_named("blk.#.ssm_a", at + "A_log", test::logarithms);
                       b.add_named("blk.#.ssm_dt.bias", at + "dt_bias");
                     },
                     {"attention.value_length"}});  // of latent vectors here, as in others'
}

}  // namespace
}  // namespace skald
