#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::Back;
using test::expect_conversion;

// BLOOM and Falcon.
void bloom(Back& b) {
  const int64_t heads = b.size("attention.head_count");
  b.add("token_embd", "transformer.word_embeddings").add("token_embd_norm", "transformer.word_embeddings_layernorm");
  b.add("output_norm", "transformer.ln_f").add("output", "lm_head");
  b.add("blk.#.attn_qkv", "transformer.h.#.self_attention.query_key_value",
        test::grouped_qkv(heads, b.size("attention.head_count_kv")));
  b.add("blk.#.attn_output", "transformer.h.#.self_attention.dense");
  b.add("blk.#.ffn_norm", "transformer.h.#.post_attention_layernorm");
  b.add("blk.#.ffn_up", "transformer.h.#.mlp.dense_h_to_4h").add("blk.#.ffn_down", "transformer.h.#.mlp.dense_4h_to_h");
}

void one_norm(Back& b) {
  bloom(b);
  b.add("blk.#.attn_norm", "transformer.h.#.input_layernorm");
}

void two_norms(Back& b) {
  bloom(b);
  b.add("blk.#.attn_norm", "transformer.h.#.ln_mlp").add("blk.#.attn_norm_2", "transformer.h.#.ln_attn");
}

TEST(HfFamilyBloom, QueriesKeysAndValuesOfEachHeadLieTogether) {
  expect_conversion(
      {"bloom", R"({"architectures": ["BloomForCausalLM"], "hidden_size": null, "n_embed": 32, "intermediate_size": null,
      "n_inner": null, "tie_word_embeddings": false})",
       one_norm});
}

TEST(HfFamilyFalcon, Falcon7BAsFirstPublished) {
  expect_conversion({"falcon_7b", R"({"architectures": ["RWForCausalLM"], "multi_query": true})", one_norm});
}

TEST(HfFamilyFalcon, GroupsOfHeadsAndTwoNorms) {
  expect_conversion({"falcon_40b",
                     R"({"architectures": ["FalconForCausalLM"], "new_decoder_architecture": true, "num_kv_heads": 2,
      "tie_word_embeddings": false})",
                     two_norms});
}

TEST(HfFamilyFalcon, AlibiWithBlocksOneAfterTheOther) {
  expect_conversion({"falcon_rw", R"({"architectures": ["FalconForCausalLM"], "multi_query": false, "alibi": true,
      "parallel_attn": false, "tie_word_embeddings": false})",
                     one_norm});
}

}  // namespace
}  // namespace skald
