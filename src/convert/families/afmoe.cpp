// Trinity.
#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kAfmoeClasses[] = {"AfmoeForCausalLM"};

constexpr TensorRule kAfmoeTensors[] = {
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
    {"blk.#.attn_gate", "model.layers.#.self_attn.gate_proj"},
    {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm"},
    {"blk.#.ffn_norm", "model.layers.#.pre_mlp_layernorm"},
    {"blk.#.post_ffw_norm", "model.layers.#.post_mlp_layernorm"},
    {"blk.#.ffn_gate_inp", "model.layers.#.mlp.router.gate"},
    {"blk.#.exp_probs_b.bias", "model.layers.#.mlp.expert_bias"},
};

void describe_afmoe(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "mup_enabled", true, false);  // readers scale embeddings always
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
  window_keys(c, out, window_layers(c, 4));
  expert_keys(c, out);
  shared_expert_keys(c, out, c.i64("moe_intermediate_size"));
  out.size("leading_dense_block_count", dense_layers(c, 1));
  routing_keys(c, out);
}

}  // namespace

extern const HfFamily hf_family_afmoe;
const HfFamily hf_family_afmoe{
    .classes = kAfmoeClasses,
    .arch = "afmoe",
    .describe = describe_afmoe,
    .tensors = {kOuter, kAfmoeTensors, kAttention, kHeadNorms, kGatedFfn, kExperts, kSharedExperts}};

}  // namespace skald
