#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;
using test::gated_ffn;

void phi2(Back& b) {
  attention(b);
  b.add("output_norm", "model.final_layernorm").add("blk.#.attn_output", "model.layers.#.self_attn.dense");
  b.add("blk.#.ffn_up", "model.layers.#.mlp.fc1").add("blk.#.ffn_down", "model.layers.#.mlp.fc2");
}

void phi3(Back& b) {
  b.add("token_embd", "model.embed_tokens").add("output_norm", "model.norm").add("output", "lm_head");
  b.add("blk.#.attn_norm", "model.layers.#.input_layernorm");
  b.add("blk.#.attn_qkv", "model.layers.#.self_attn.qkv_proj").add("blk.#.attn_output", "model.layers.#.self_attn.o_proj");
  b.add("blk.#.ffn_norm", "model.layers.#.post_attention_layernorm");
  b.add("blk.#.ffn_up", "model.layers.#.mlp.gate_up_proj").add("blk.#.ffn_down", "model.layers.#.mlp.down_proj");
}

TEST(HfFamilyPhi, Phi2) {
  expect_conversion({"phi2", R"({"architectures": ["PhiForCausalLM"], "num_key_value_heads": null,
      "partial_rotary_factor": 0.5})",
                     phi2});
}

TEST(HfFamilyPhi, Phi3) {
  expect_conversion({"phi3", R"({"architectures": ["Phi3ForCausalLM"], "sliding_window": 64,
      "original_max_position_embeddings": 256})",
                     phi3});
}

TEST(HfFamilyPhi, Phi3WithLongRope) {
  expect_conversion({"phi3_longrope", R"({"architectures": ["Phi3ForCausalLM"], "sliding_window": null,
      "original_max_position_embeddings": 256, "rope_scaling": {"type": "su",
        "long_factor": [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0],
        "short_factor": [1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0]}})",
                     phi3});
}

}  // namespace
}  // namespace skald
