// Each family: a golden model's tensors, brought into the form of a Hugging Face checkpoint, convert to what they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/thread_pool.h"
#include "convert/conversion.h"
#include "tests/convert/back.h"
#include "tests/convert/hf_folder.h"
#include "tests/support/paths.h"

namespace skald {
namespace {

using nlohmann::json;
using test::Back;

struct FamilyCase {
  const char* golden;                        // folder of tests/data/golden
  const char* config;                        // config.json
  void (*back)(Back& back);                  // the checkpoint's tensors
  std::vector<std::string> other_keys = {};  // of the golden file, without the architecture, that say the same otherwise
  friend void PrintTo(const FamilyCase& c, std::ostream* out) { *out << c.golden; }
};

// The sizes that all decoders have, as most configurations spell them.
json config_of(const Gguf& golden, const char* more) {
  const Meta& meta = golden.meta();
  const MetaView m(meta, meta.str("general.architecture"));
  json out = {{"hidden_size", m.i64("embedding_length")},
              {"intermediate_size", m.i64("feed_forward_length")},
              {"num_hidden_layers", m.i64("block_count")},
              {"num_attention_heads", m.i64("attention.head_count")},
              {"num_key_value_heads", m.i64("attention.head_count_kv", m.i64("attention.head_count"))},
              {"max_position_embeddings", m.i64("context_length")},
              {"vocab_size", golden.find("token_embd.weight")->shape[0]}};
  if (m.has("rope.freq_base")) out["rope_theta"] = m.f32("rope.freq_base");
  if (m.has("attention.key_length")) out["head_dim"] = m.i64("attention.key_length");
  for (const char* eps : {"layer_norm_rms_epsilon", "layer_norm_epsilon"})
    if (m.has(std::string("attention.") + eps))
      out[eps == std::string("layer_norm_epsilon") ? "layer_norm_eps" : "rms_norm_eps"] =
          m.f32(std::string("attention.") + eps);
  out.merge_patch(json::parse(more));
  return out;
}

std::string bytes_of(const Conversion& conversion, const Conversion::Tensor& t) {
  ThreadPool pool(2);
  std::string out;
  conversion.give(t, pool, [&](std::span<const std::byte> piece) {
    out.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return out;
}

// Frequencies' divisors are computed; everything else is copied.
void expect_equal(const Conversion& conversion, const Conversion::Tensor& got, const GgufTensor& want) {
  EXPECT_EQ(got.desc.shape, want.shape) << want.name;
  ASSERT_EQ(got.desc.format->name, want.type->name) << want.name;
  const std::string bytes = bytes_of(conversion, got);
  ASSERT_EQ(bytes.size(), want.data.size()) << want.name;
  if (!want.name.starts_with("rope_")) {
    EXPECT_EQ(std::memcmp(bytes.data(), want.data.data(), bytes.size()), 0) << want.name;
    return;
  }
  const auto* a = reinterpret_cast<const float*>(bytes.data());
  const auto* b = reinterpret_cast<const float*>(want.data.data());
  for (int64_t i = 0; i < want.shape.elements(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6 * b[i]) << want.name << " " << i;
}

void expect_keys(const Meta& got, const Meta& want, const FamilyCase& c) {
  const std::string prefix = want.str("general.architecture") + ".";
  EXPECT_EQ(got.str("general.architecture"), want.str("general.architecture"));
  EXPECT_EQ(got.i64("general.file_type"), want.i64("general.file_type"));
  for (const auto& [key, value] : want.entries()) {
    if (!key.starts_with(prefix) || std::ranges::count(c.other_keys, key.substr(prefix.size()))) continue;
    const MetaValue* ours = got.find(key);
    ASSERT_NE(ours, nullptr) << key;
    EXPECT_EQ(*ours, value) << key;
  }
}

class Families : public ::testing::TestWithParam<FamilyCase> {};

TEST_P(Families, TensorsAndKeysAreThoseOfTheGoldenFile) {
  const FamilyCase& c = GetParam();
  const Gguf golden = Gguf::open((test::data_dir() / "golden" / c.golden / "model.gguf").string(), FileBytes::How::kMap);
  const test::HfFolder folder(config_of(golden, c.config));
  test::SafetensorsBytes checkpoint;
  Back back(golden, checkpoint);
  c.back(back);
  folder.checkpoint(checkpoint);
  const Conversion conversion(folder.open(), {.need_tokenizer = false});
  expect_keys(conversion.meta(), golden.meta(), c);
  EXPECT_EQ(conversion.tensors().size(), golden.tensors().size());
  for (const Conversion::Tensor& t : conversion.tensors()) {
    const GgufTensor* want = golden.find(t.name);
    ASSERT_NE(want, nullptr) << t.name;
    expect_equal(conversion, t, *want);
  }
}

void attention(Back& b, const test::Undo& queries_and_keys) {
  b.add("token_embd", "model.embed_tokens").add("output_norm", "model.norm").add("output", "lm_head");
  b.add("blk.#.attn_norm", "model.layers.#.input_layernorm")
      .add("blk.#.ffn_norm", "model.layers.#.post_attention_layernorm");
  b.add("blk.#.attn_q", "model.layers.#.self_attn.q_proj", queries_and_keys);
  b.add("blk.#.attn_k", "model.layers.#.self_attn.k_proj", queries_and_keys);
  b.add("blk.#.attn_v", "model.layers.#.self_attn.v_proj").add("blk.#.attn_output", "model.layers.#.self_attn.o_proj");
}

void gated_ffn(Back& b) {
  b.add("blk.#.ffn_gate", "model.layers.#.mlp.gate_proj").add("blk.#.ffn_up", "model.layers.#.mlp.up_proj");
  b.add("blk.#.ffn_down", "model.layers.#.mlp.down_proj");
}

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

INSTANTIATE_TEST_SUITE_P(Golden, Families, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.golden); });

}  // namespace
}  // namespace skald
