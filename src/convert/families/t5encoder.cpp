// The encoder of T5.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kT5encoderClasses[] = {"T5EncoderModel"};

constexpr TensorRule kT5encoderTensors[] = {
    {"token_embd", "shared"},
    {"token_embd", "encoder.embed_tokens"},
    {"enc.output_norm", "encoder.final_layer_norm"},
    {"enc.blk.#.attn_norm", "encoder.block.#.layer.0.layer_norm"},
    {"enc.blk.#.attn_q", "encoder.block.#.layer.0.SelfAttention.q"},
    {"enc.blk.#.attn_k", "encoder.block.#.layer.0.SelfAttention.k"},
    {"enc.blk.#.attn_v", "encoder.block.#.layer.0.SelfAttention.v"},
    {"enc.blk.#.attn_o", "encoder.block.#.layer.0.SelfAttention.o"},
    {"enc.blk.#.attn_rel_b", "encoder.block.#.layer.0.SelfAttention.relative_attention_bias"},
    {"enc.blk.#.ffn_norm", "encoder.block.#.layer.1.layer_norm"},
    {"enc.blk.#.ffn_gate", "encoder.block.#.layer.1.DenseReluDense.wi_0"},
    {"enc.blk.#.ffn_up", "encoder.block.#.layer.1.DenseReluDense.wi_1"},
    {"enc.blk.#.ffn_up", "encoder.block.#.layer.1.DenseReluDense.wi"},
    {"enc.blk.#.ffn_down", "encoder.block.#.layer.1.DenseReluDense.wo"},
};

constexpr std::string_view kForms[] = {"relu", "gated-gelu"};

void describe_t5encoder(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "feed_forward_proj", kForms);
  require_number(c, "relative_attention_max_distance", 128);
  require_flag(c, "is_decoder", false, false);
  out.size("context_length", c.i64("n_positions", 512));  // any: distances beyond the last bucket are in it
  out.size("embedding_length", c.d_model());
  out.size("feed_forward_length", c.i64("d_ff"));
  out.size("block_count", c.n_layers());
  out.size("attention.head_count", c.n_heads());
  out.size("attention.key_length", c.i64("d_kv"));
  out.size("attention.value_length", c.i64("d_kv"));
  for (const std::string_view key : {kRmsNormEps, kLayerNormEps}) out.number(key, c.f32("layer_norm_epsilon", 1e-6f));
  out.size("attention.relative_buckets_count", c.i64("relative_attention_num_buckets", 32));
  // Of the decoder, or said otherwise by feed_forward_proj.
  for (const char* key : {"num_decoder_layers", "scale_decoder_outputs", "dense_act_fn", "is_gated_act"}) c.pass_over(key);
}

}  // namespace

extern const HfFamily hf_family_t5encoder;
const HfFamily hf_family_t5encoder{.classes = kT5encoderClasses,
                                   .arch = "t5encoder",
                                   .describe = describe_t5encoder,
                                   .tensors = {kT5encoderTensors},
                                   .activations = {},
                                   .encoder = true};

}  // namespace skald
