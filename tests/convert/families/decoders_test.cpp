#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;
using test::gated_ffn;

void glm4(Back& b) {
  b.add("token_embd", "model.embed_tokens").add("output_norm", "model.norm").add("output", "lm_head");
  for (const auto& [from, to] : {std::pair{"attn_norm", "input_layernorm"},
                                 {"post_attention_norm", "post_self_attn_layernorm"},
                                 {"ffn_norm", "post_attention_layernorm"},
                                 {"post_ffw_norm", "post_mlp_layernorm"},
                                 {"attn_q", "self_attn.q_proj"},
                                 {"attn_k", "self_attn.k_proj"},
                                 {"attn_v", "self_attn.v_proj"},
                                 {"attn_output", "self_attn.o_proj"},
                                 {"ffn_up", "mlp.gate_up_proj"},
                                 {"ffn_down", "mlp.down_proj"}})
    b.add(std::string("blk.#.") + from, std::string("model.layers.#.") + to);
}

void rotated(Back& b) {
  attention(b, test::halves_of_heads(8));
  gated_ffn(b);
}

// 2 groups of two queries, a key and a value, all of 8 values, for a model of 32; queries and keys as halves of heads.
constexpr int64_t kHead = 8, kModel = 32;

std::pair<size_t, int64_t> in_groups(int64_t i) {
  const int64_t row = i / kModel, col = i % kModel, group = row / kHead / 4, at = row / kHead % 4, in_head = row % kHead;
  if (at == 3) return {2, (group * kHead + in_head) * kModel + col};
  const int64_t pair = in_head % (kHead / 2) * 2 + in_head / (kHead / 2);
  return at == 2 ? std::pair<size_t, int64_t>{1, (group * kHead + pair) * kModel + col}
                 : std::pair<size_t, int64_t>{0, ((group * 2 + at) * kHead + pair) * kModel + col};
}

void internlm2(Back& b) {
  b.add("token_embd", "model.tok_embeddings").add("output_norm", "model.norm").add("output", "output");
  b.add("blk.#.attn_norm", "model.layers.#.attention_norm").add("blk.#.ffn_norm", "model.layers.#.ffn_norm");
  b.join({"blk.#.attn_q.weight", "blk.#.attn_k.weight", "blk.#.attn_v.weight"}, "model.layers.#.attention.wqkv.weight",
         {8 * kHead, kModel}, in_groups);
  b.add("blk.#.attn_output", "model.layers.#.attention.wo").add("blk.#.ffn_gate", "model.layers.#.feed_forward.w1");
  b.add("blk.#.ffn_up", "model.layers.#.feed_forward.w3").add("blk.#.ffn_down", "model.layers.#.feed_forward.w2");
}

// gate and up (4, 32, 48) beside each other: (4, 48, 64).
std::pair<size_t, int64_t> beside(int64_t i) {
  const int64_t expert = i / (48 * 64), row = i / 64 % 48, col = i % 64;
  return {col / 32, (expert * 32 + col % 32) * 48 + row};
}

void llama4(Back& b) {
  attention(b);
  const std::string ffn = "model.layers.#.feed_forward.";
  for (const std::string what : {"gate", "up", "down"}) {
    b.add("blk.#.ffn_" + what, ffn + what + "_proj");
    b.add("blk.#.ffn_" + what + "_shexp", ffn + "shared_expert." + what + "_proj");
  }
  b.add("blk.#.ffn_gate_inp", ffn + "router");
  b.join({"blk.#.ffn_gate_exps.weight", "blk.#.ffn_up_exps.weight"}, ffn + "experts.gate_up_proj", {4, 48, 64}, beside);
  b.add_named("blk.#.ffn_down_exps.weight", ffn + "experts.down_proj", test::transposed);
}

TEST(HfFamilyDecoders, Glm4) { expect_conversion({"glm4", R"({"architectures": ["Glm4ForCausalLM"]})", glm4}); }

TEST(HfFamilyDecoders, Granite) {
  expect_conversion({"granite", R"({"architectures": ["GraniteForCausalLM"], "embedding_multiplier": 3.0,
      "residual_multiplier": 0.6, "attention_multiplier": 0.5, "logits_scaling": 2.0})",
                     rotated});
}

TEST(HfFamilyDecoders, Smollm3) {
  expect_conversion({"smollm3", R"({"architectures": ["SmolLM3ForCausalLM"], "no_rope_layers": [1, 1, 1, 0]})", rotated});
}

TEST(HfFamilyDecoders, Internlm2) {
  expect_conversion({"internlm2", R"({"architectures": ["InternLM2ForCausalLM"],
      "rope_scaling": {"type": "dynamic", "factor": 2.0}})",
                     internlm2});
}

TEST(HfFamilyDecoders, Llama4) {
  expect_conversion({"llama4", R"({"architectures": ["Llama4ForCausalLM"], "intermediate_size": 32,
      "intermediate_size_mlp": 64, "num_local_experts": 4, "num_experts_per_tok": 1, "interleave_moe_layer_step": 2,
      "attention_chunk_size": 48, "floor_scale": 32, "attn_scale": 0.3, "attn_temperature_tuning": 4,
      "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64}})",
                     llama4});
}

}  // namespace
}  // namespace skald
