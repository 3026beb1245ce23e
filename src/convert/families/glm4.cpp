// GLM-4 0414 and GLM-Z1.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kGlm4Classes[] = {"Glm4ForCausalLM"};

constexpr TensorRule kGlm4Tensors[] = {
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
    {"blk.#.post_attention_norm", "model.layers.#.post_self_attn_layernorm"},
    {"blk.#.ffn_norm", "model.layers.#.post_attention_layernorm"},
    {"blk.#.ffn_up", "model.layers.#.mlp.gate_up_proj"},
    {"blk.#.ffn_down", "model.layers.#.mlp.down_proj"},
    {"blk.#.post_ffw_norm", "model.layers.#.post_mlp_layernorm"},
};

void describe_glm4(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_glm4;
const HfFamily hf_family_glm4{.classes = kGlm4Classes,
                              .arch = "glm4",
                              .describe = describe_glm4,
                              .tensors = {kOuter, kAttention, kGlm4Tensors},
                              .defaults = R"({"head_dim": 128, "partial_rotary_factor": 0.5})",
                              .partial_rope = true};

}  // namespace skald
