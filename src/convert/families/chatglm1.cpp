// ChatGLM-6B, the first form.
#include <cmath>

#include "convert/requirements.h"
#include "convert/tables.h"
#include "quant/f16/block.h"

namespace skald {
namespace {

constexpr std::string_view kChatglm1Classes[] = {"ChatGLMModel", "ChatGLMForConditionalGeneration"};

constexpr TensorRule kChatglm1Tensors[] = {
    {"token_embd", "transformer.word_embeddings"},
    {"output_norm", "transformer.final_layernorm"},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "transformer.layers.#.input_layernorm"},
    {"blk.#.attn_qkv", "transformer.layers.#.attention.query_key_value", regroup_qkv},
    {"blk.#.attn_output", "transformer.layers.#.attention.dense"},
    {"blk.#.ffn_norm", "transformer.layers.#.post_attention_layernorm"},
    {"blk.#.ffn_up", "transformer.layers.#.mlp.dense_h_to_4h"},
    {"blk.#.ffn_down", "transformer.layers.#.mlp.dense_4h_to_h"},
};

// The published weights were made, and their frequencies rounded, in half precision.
std::vector<float> divisors(int64_t dims) {
  std::vector<float> out;
  for (int64_t i = 0; i < dims / 2; ++i) {
    const double exact = std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(dims));
    out.push_back(static_cast<float>(exact / f16_to_f32(f32_to_f16(static_cast<float>(exact)))));
  }
  return out;
}

void describe_chatglm1(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "position_encoding_2d", true, true);
  decoder_keys(c, out, kLayerNormEps);
  out.size("attention.prefix_end_token_id", c.i64("bos_token_id"));  // <sop>
  const int64_t dims = c.d_head() / 2;                               // each position turns half a head
  out.size("rope.dimension_count", dims);
  if (c.str({"torch_dtype", "dtype"}, "") == "float16") out.tensor("rope_freqs.weight", divisors(dims));
}

}  // namespace

extern const HfFamily hf_family_chatglm1;
const HfFamily hf_family_chatglm1{.classes = kChatglm1Classes,
                                  .arch = "chatglm1",
                                  .describe = describe_chatglm1,
                                  .tensors = {kChatglm1Tensors},
                                  .defaults = R"({"layernorm_epsilon": 1e-5})",
                                  .is_it = [](const HfConfig& c) { return c.has("position_encoding_2d"); },
                                  .activations = {}};

}  // namespace skald
