// GPT-NeoX, Pythia, Dolly 2, RedPajama.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kGptneoxClasses[] = {"GPTNeoXForCausalLM"};

constexpr TensorRule kGptneoxTensors[] = {
    {"token_embd", "gpt_neox.embed_in"},
    {"output_norm", "gpt_neox.final_layer_norm"},
    {"output", "embed_out"},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "gpt_neox.layers.#.input_layernorm"},
    {"blk.#.ffn_norm", "gpt_neox.layers.#.post_attention_layernorm"},
    {"blk.#.attn_qkv", "gpt_neox.layers.#.attention.query_key_value", regroup_qkv},
    {"blk.#.attn_output", "gpt_neox.layers.#.attention.dense"},
    {"blk.#.ffn_up", "gpt_neox.layers.#.mlp.dense_h_to_4h"},
    {"blk.#.ffn_down", "gpt_neox.layers.#.mlp.dense_4h_to_h"},
};

void describe_gptneox(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out, kLayerNormEps);
  activation_key(c, out, "gelu", "hidden_act");
  rope_keys(c, out, c.d_head());
  out.flag("use_parallel_residual", c.flag("use_parallel_residual", true));
}

}  // namespace

extern const HfFamily hf_family_gptneox;
const HfFamily hf_family_gptneox{.classes = kGptneoxClasses,
                                 .arch = "gptneox",
                                 .describe = describe_gptneox,
                                 .tensors = {kGptneoxTensors},
                                 .defaults = R"({"rotary_pct": 0.25})",
                                 .activations = {},
                                 .partial_rope = true};

}  // namespace skald
