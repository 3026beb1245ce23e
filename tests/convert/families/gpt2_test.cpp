#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::Back;
using test::expect_conversion;

// `prefix` is "transformer." or nothing.
void gpt2_names(Back& b, const std::string& prefix, const test::Undo& matrices) {
  b.add("token_embd", prefix + "wte").add("position_embd", prefix + "wpe").add("output_norm", prefix + "ln_f");
  b.add("blk.#.attn_norm", prefix + "h.#.ln_1").add("blk.#.ffn_norm", prefix + "h.#.ln_2");
  b.add("blk.#.attn_qkv", prefix + "h.#.attn.c_attn", matrices);
  b.add("blk.#.attn_output", prefix + "h.#.attn.c_proj", matrices);
  b.add("blk.#.ffn_up", prefix + "h.#.mlp.c_fc", matrices).add("blk.#.ffn_down", prefix + "h.#.mlp.c_proj", matrices);
  b.add("output", "lm_head");
}

void gpt2(Back& b) { gpt2_names(b, "", test::transposed); }
void starcoder(Back& b) { gpt2_names(b, "transformer.", {}); }

void gptj(Back& b) {
  b.add("token_embd", "transformer.wte").add("output_norm", "transformer.ln_f").add("output", "lm_head");
  b.add("blk.#.attn_norm", "transformer.h.#.ln_1");
  b.add("blk.#.attn_q", "transformer.h.#.attn.q_proj").add("blk.#.attn_k", "transformer.h.#.attn.k_proj");
  b.add("blk.#.attn_v", "transformer.h.#.attn.v_proj").add("blk.#.attn_output", "transformer.h.#.attn.out_proj");
  b.add("blk.#.ffn_up", "transformer.h.#.mlp.fc_in").add("blk.#.ffn_down", "transformer.h.#.mlp.fc_out");
}

TEST(HfFamilyGpt2, MatricesLieTheOtherWayRound) {
  expect_conversion({"gpt2", R"({"architectures": ["GPT2LMHeadModel"], "tie_word_embeddings": false})", gpt2});
}

TEST(HfFamilyStarCoder, OneKeyHead) {
  expect_conversion({"starcoder", R"({"architectures": ["GPTBigCodeForCausalLM"], "activation_function": "gelu_pytorch_tanh",
      "multi_query": true})",
                     starcoder});
}

TEST(HfFamilyGptJ, PartialRope) {
  expect_conversion({"gptj", R"({"architectures": ["GPTJForCausalLM"], "rotary_dim": 4})", gptj});
}

}  // namespace
}  // namespace skald
