// Nomic Embed 1 and 1.5.
#include "convert/encoder_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kNomicBertClasses[] = {"NomicBertModel"};

constexpr TensorRule kNomicBertTensors[] = {
    {"token_embd", "bert.embeddings.word_embeddings"},
    {"token_embd_norm", "bert.emb_ln"},
    {"token_types", "bert.embeddings.token_type_embeddings"},
    {"blk.#.attn_qkv", "bert.encoder.layers.#.attn.Wqkv"},
    {"blk.#.attn_output", "bert.encoder.layers.#.attn.out_proj"},
    {"blk.#.attn_output_norm", "bert.encoder.layers.#.norm1"},
    {"blk.#.ffn_up", "bert.encoder.layers.#.mlp.fc11"},
    {"blk.#.ffn_gate", "bert.encoder.layers.#.mlp.fc12"},
    {"blk.#.ffn_down", "bert.encoder.layers.#.mlp.fc2"},
    {"blk.#.layer_output_norm", "bert.encoder.layers.#.norm2"},
};

constexpr std::string_view kGated[] = {"swiglu", "silu", "swish"};

void describe_nomic_bert(const HfConfig& c, Hyperparameters& out) {
  for (const char* key : {"activation_function", "hidden_act"}) require_word(c, key, kGated);
  require_flag(c, "prenorm", false, false);
  require_flag(c, "causal", false, false);
  require_flag(c, "rotary_emb_interleaved", false, false);
  require_number(c, "rotary_emb_fraction", 1);
  require_absent(c, "rotary_emb_scale_base");
  require_number(c, "moe_every_n_layers", 0);
  encoder_keys(c, out, kLayerNormEps);
  out.size("context_length", c.i64("max_trained_positions", 2048));  // n_positions is the reach of interpolation
  c.pass_over({"n_positions", "max_position_embeddings"});
  out.size("attention.key_length", c.d_head());
  out.size("attention.value_length", c.d_head());
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_nomic_bert;
const HfFamily hf_family_nomic_bert{.classes = kNomicBertClasses,
                                    .arch = "nomic-bert",
                                    .describe = describe_nomic_bert,
                                    .tensors = {kNomicBertTensors},
                                    .defaults = R"({"layer_norm_eps": 1e-12})",
                                    .activations = {},
                                    .encoder = true};

}  // namespace skald
