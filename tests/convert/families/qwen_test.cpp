#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;
using test::gated_ffn;

void qwen(Back& b) {
  b.add("token_embd", "transformer.wte").add("output_norm", "transformer.ln_f").add("output", "lm_head");
  b.add("blk.#.attn_norm", "transformer.h.#.ln_1").add("blk.#.ffn_norm", "transformer.h.#.ln_2");
  b.add("blk.#.attn_qkv", "transformer.h.#.attn.c_attn").add("blk.#.attn_output", "transformer.h.#.attn.c_proj");
  b.add("blk.#.ffn_up", "transformer.h.#.mlp.w1").add("blk.#.ffn_gate", "transformer.h.#.mlp.w2");
  b.add("blk.#.ffn_down", "transformer.h.#.mlp.c_proj");
}

void head_norms(Back& b) {
  b.add("blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm").add("blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm");
}

void experts(Back& b) {
  b.add("blk.#.ffn_gate_inp", "model.layers.#.mlp.gate");
  b.add("blk.#.ffn_gate_exps", "model.layers.#.mlp.experts.@.gate_proj");
  b.add("blk.#.ffn_up_exps", "model.layers.#.mlp.experts.@.up_proj");
  b.add("blk.#.ffn_down_exps", "model.layers.#.mlp.experts.@.down_proj");
}

void qwen2moe(Back& b) {
  attention(b);
  experts(b);
  b.add("blk.#.ffn_gate_inp_shexp", "model.layers.#.mlp.shared_expert_gate", test::as_one_row);
  b.add("blk.#.ffn_gate_shexp", "model.layers.#.mlp.shared_expert.gate_proj");
  b.add("blk.#.ffn_up_shexp", "model.layers.#.mlp.shared_expert.up_proj");
  b.add("blk.#.ffn_down_shexp", "model.layers.#.mlp.shared_expert.down_proj");
}

void qwen3(Back& b) {
  attention(b);
  head_norms(b);
  gated_ffn(b);
}

void qwen3moe(Back& b) {
  attention(b);
  head_norms(b);
  experts(b);
}

TEST(HfFamilyQwen, TheFirst) {
  expect_conversion({"qwen_v1", R"({"architectures": ["QWenLMHeadModel"], "rms_norm_eps": null, "layer_norm_epsilon": 1e-6,
      "rope_theta": null, "rotary_emb_base": 10000, "rotary_pct": 1.0, "kv_channels": 8, "num_key_value_heads": null})",
                     qwen});
}

TEST(HfFamilyQwen, Qwen2WithExperts) {
  expect_conversion({"qwen2moe", R"({"architectures": ["Qwen2MoeForCausalLM"], "num_experts": 4, "num_experts_per_tok": 2,
      "moe_intermediate_size": 64, "shared_expert_intermediate_size": 96, "norm_topk_prob": false})",
                     qwen2moe});
}

TEST(HfFamilyQwen, Qwen3) { expect_conversion({"qwen3", R"({"architectures": ["Qwen3ForCausalLM"]})", qwen3}); }

TEST(HfFamilyQwen, Qwen3WithExperts) {
  expect_conversion({"qwen3moe", R"({"architectures": ["Qwen3MoeForCausalLM"], "num_experts": 8, "num_experts_per_tok": 3,
      "moe_intermediate_size": 32, "norm_topk_prob": true})",
                     qwen3moe});
}

}  // namespace
}  // namespace skald
