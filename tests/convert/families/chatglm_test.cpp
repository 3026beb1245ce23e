#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::Back;
using test::expect_conversion;

// A layer's names are the same in both forms of ChatGLM, but for the module of attention's matrices.
void chatglm_layers(Back& b, const std::string& layer, const std::string& attention, const test::Undo& qkv) {
  b.add("blk.#.attn_norm", layer + "input_layernorm").add("blk.#.ffn_norm", layer + "post_attention_layernorm");
  b.add("blk.#.attn_qkv", layer + attention + ".query_key_value", qkv)
      .add("blk.#.attn_output", layer + attention + ".dense");
  b.add("blk.#.ffn_up", layer + "mlp.dense_h_to_4h").add("blk.#.ffn_down", layer + "mlp.dense_4h_to_h");
}

void chatglm1(Back& b) {
  const int64_t heads = b.size("attention.head_count");
  b.add("token_embd", "transformer.word_embeddings")
      .add("output_norm", "transformer.final_layernorm")
      .add("output", "lm_head");
  chatglm_layers(b, "transformer.layers.#.", "attention", test::grouped_qkv(heads, heads));
}

void chatglm2(Back& b) {
  b.add("token_embd", "transformer.embedding.word_embeddings").add("output", "transformer.output_layer");
  b.add("output_norm", "transformer.encoder.final_layernorm");
  chatglm_layers(b, "transformer.encoder.layers.#.", "self_attention", {});
}

TEST(HfFamilyChatGlm, FirstFormHasAMarkOfItsOwn) {
  expect_conversion({"chatglm1",
                     R"({"architectures": ["ChatGLMModel"], "position_encoding_2d": true, "inner_hidden_size": 64,
      "intermediate_size": null, "bos_token_id": 449})",
                     chatglm1});
}

TEST(HfFamilyChatGlm, SecondForm) {
  expect_conversion({"chatglm2",
                     R"({"architectures": ["ChatGLMModel"], "multi_query_attention": true, "multi_query_group_num": 2,
      "num_key_value_heads": null})",
                     chatglm2});
}

// transformers keeps the parts of attn_qkv apart, and the graph takes them so.
test::Undo rows(int64_t first, int64_t count) {
  return [=](const test::BackTensor& t) {
    test::BackTensor out = t;
    out.shape[0] = count;
    out.bytes = t.bytes.substr(static_cast<size_t>(first * t.row_bytes), static_cast<size_t>(count * t.row_bytes));
    return out;
  };
}

TEST(HfFamilyChatGlm, FormOfTransformers) {
  const Gguf golden = Gguf::open((test::data_dir() / "golden/chatglm2/model.gguf").string(), FileBytes::How::kMap);
  const test::HfFolder folder(test::config_of(golden, R"({"architectures": ["GlmForCausalLM"], "head_dim": 8})"));
  test::SafetensorsBytes checkpoint;
  Back back(golden, checkpoint);
  const int64_t heads = back.size("attention.head_count"), kv_heads = back.size("attention.head_count_kv"), d = 8;
  const std::string layer = "model.layers.#.";
  test::attention(back);
  back.add("blk.#.attn_qkv", layer + "self_attn.q_proj", rows(0, heads * d));
  back.add("blk.#.attn_qkv", layer + "self_attn.k_proj", rows(heads * d, kv_heads * d));
  back.add("blk.#.attn_qkv", layer + "self_attn.v_proj", rows((heads + kv_heads) * d, kv_heads * d));
  back.add("blk.#.ffn_up", layer + "mlp.gate_up_proj").add("blk.#.ffn_down", layer + "mlp.down_proj");
  folder.checkpoint(checkpoint);
  const Conversion conversion(folder.open(), {.need_tokenizer = false});
  const auto bytes = [&](const std::string& name) {
    const auto t = std::ranges::find(conversion.tensors(), name, &Conversion::Tensor::name);
    return t == conversion.tensors().end() ? "" : test::bytes_of(conversion, *t);
  };
  for (const std::string leaf : {".weight", ".bias"}) {
    const GgufTensor& want = *golden.find("blk.1.attn_qkv" + leaf);
    EXPECT_EQ(bytes("blk.1.attn_q" + leaf) + bytes("blk.1.attn_k" + leaf) + bytes("blk.1.attn_v" + leaf),
              std::string(reinterpret_cast<const char*>(want.data.data()), want.data.size()));
  }
}

}  // namespace
}  // namespace skald
