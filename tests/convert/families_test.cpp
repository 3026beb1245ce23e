// Each family: a golden model's tensors, brought into the form of a Hugging Face checkpoint, convert back.
#include <fstream>
#include <iterator>

#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::FamilyCase;
using test::gated_ffn;

class Families : public ::testing::TestWithParam<FamilyCase> {};

TEST_P(Families, TensorsAndKeysAreThoseOfTheGoldenFile) { test::expect_conversion(GetParam()); }

void llama(Back& b) {
  attention(b, test::halves_of_heads(b.size("attention.key_length")));
  gated_ffn(b);
}

void mixtral(Back& b) {
  attention(b, test::halves_of_heads(b.size("attention.key_length")));
  b.add("blk.#.ffn_gate_inp", "model.layers.#.block_sparse_moe.gate");
  b.add("blk.#.ffn_gate_exps", "model.layers.#.block_sparse_moe.experts.@.w1");
  b.add("blk.#.ffn_down_exps", "model.layers.#.block_sparse_moe.experts.@.w2");
  b.add("blk.#.ffn_up_exps", "model.layers.#.block_sparse_moe.experts.@.w3");
}

void qwen2(Back& b) {
  attention(b, {});
  gated_ffn(b);
}

void gptneox(Back& b) {
  const int64_t heads = b.size("attention.head_count");
  b.add("token_embd", "gpt_neox.embed_in").add("output_norm", "gpt_neox.final_layer_norm").add("output", "embed_out");
  b.add("blk.#.attn_norm", "gpt_neox.layers.#.input_layernorm");
  b.add("blk.#.ffn_norm", "gpt_neox.layers.#.post_attention_layernorm");
  b.add("blk.#.attn_qkv", "gpt_neox.layers.#.attention.query_key_value", test::grouped_qkv(heads, heads));
  b.add("blk.#.attn_output", "gpt_neox.layers.#.attention.dense");
  b.add("blk.#.ffn_up", "gpt_neox.layers.#.mlp.dense_h_to_4h");
  b.add("blk.#.ffn_down", "gpt_neox.layers.#.mlp.dense_4h_to_h");
}

const FamilyCase kCases[] = {
    {"llama_mha", R"({"architectures": ["LlamaForCausalLM"], "tie_word_embeddings": false})", llama},
    {"llama_gqa", R"({"architectures": ["LlamaForCausalLM"], "tie_word_embeddings": true,
       "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                        "original_max_position_embeddings": 64}})",
     llama},
    {"llama_yarn", R"({"architectures": ["LlamaForCausalLM"], "rope_theta": null,
       "rope_parameters": {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
                           "original_max_position_embeddings": 64}})",
     llama},
    {"mistral", R"({"architectures": ["MistralForCausalLM"], "sliding_window": 64})", llama},
    {"mixtral", R"({"architectures": ["MixtralForCausalLM"], "sliding_window": null, "num_local_experts": 4,
       "num_experts_per_tok": 2})",
     mixtral},
    {"qwen2", R"({"architectures": ["Qwen2ForCausalLM"], "sliding_window": 64, "use_sliding_window": false})", qwen2},
    {"gptneox", R"({"architectures": ["GPTNeoXForCausalLM"], "rotary_emb_base": 10000, "rotary_pct": 0.5,
       "rope_theta": null})",
     gptneox},
    {"gptneox_seq", R"({"architectures": ["GPTNeoXForCausalLM"], "use_parallel_residual": false, "rope_theta": null,
       "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}})",
     gptneox},
};

TEST(FamiliesOfTheDocuments, AreAllThatThereAre) {
  std::ifstream in(test::data_dir() / "../../docs/convert.md");
  const std::string page((std::istreambuf_iterator<char>(in)), {});
  for (const HfFamily* family : hf_families())
    for (const std::string_view name : family->classes)
      EXPECT_NE(page.find("`" + std::string(name) + "`"), page.npos) << family->arch << " " << name;
}

INSTANTIATE_TEST_SUITE_P(Golden, Families, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.golden); });

}  // namespace
}  // namespace skald
