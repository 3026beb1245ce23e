// ChatGLM2, ChatGLM3 and GLM-4-9B, in the form of their authors and in that of transformers.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kChatglmClasses[] = {"ChatGLMModel", "ChatGLMForConditionalGeneration", "GlmForCausalLM"};

constexpr TensorRule kAuthors[] = {
    {"token_embd", "transformer.embedding.word_embeddings"},
    {"output_norm", "transformer.encoder.final_layernorm"},
    {"output", "transformer.output_layer"},
    {"blk.#.attn_norm", "transformer.encoder.layers.#.input_layernorm"},
    {"blk.#.attn_qkv", "transformer.encoder.layers.#.self_attention.query_key_value"},
    {"blk.#.attn_output", "transformer.encoder.layers.#.self_attention.dense"},
    {"blk.#.ffn_norm", "transformer.encoder.layers.#.post_attention_layernorm"},
    {"blk.#.ffn_up", "transformer.encoder.layers.#.mlp.dense_h_to_4h"},
    {"blk.#.ffn_down", "transformer.encoder.layers.#.mlp.dense_4h_to_h"},
};

constexpr TensorRule kChatglmFfn[] = {
    {"blk.#.ffn_up", "model.layers.#.mlp.gate_up_proj"},
    {"blk.#.ffn_down", "model.layers.#.mlp.down_proj"},
};

constexpr std::string_view kChatglmBallast[] = {"*.rotary_pos_emb.inv_freq"};

void describe_chatglm(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "apply_residual_connection_post_layernorm", false, false);
  require_flag(c, "post_layer_norm", true, true);
  require_flag(c, "rmsnorm", true, true);
  require_flag(c, "original_rope", true, true);
  decoder_keys(c, out);
  if (c.flag("multi_query_attention", false)) out.size("attention.head_count_kv", c.i64("multi_query_group_num"));
  rope_keys(c, out, c.d_head());
  if (c.has("rope_ratio")) out.number("rope.freq_base", 10000 * c.f32("rope_ratio"));
}

}  // namespace

extern const HfFamily hf_family_chatglm;
const HfFamily hf_family_chatglm{.classes = kChatglmClasses,
                                 .arch = "chatglm",
                                 .describe = describe_chatglm,
                                 .tensors = {kAuthors, kOuter, kPreNorms, kAttention, kChatglmFfn},
                                 .ballast = kChatglmBallast,
                                 .defaults = R"({"partial_rotary_factor": 0.5})",
                                 .partial_rope = true};

}  // namespace skald
