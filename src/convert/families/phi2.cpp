// Phi-1, 1.5 and 2.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kPhi2Classes[] = {"PhiForCausalLM"};

constexpr TensorRule kPhi2Tensors[] = {
    {"output_norm", "model.final_layernorm"},
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
    {"blk.#.attn_output", "model.layers.#.self_attn.dense"},
    {"blk.#.ffn_up", "model.layers.#.mlp.fc1"},
    {"blk.#.ffn_down", "model.layers.#.mlp.fc2"},
};

void describe_phi2(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "qk_layernorm", false, false);
  decoder_keys(c, out, kLayerNormEps);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_phi2;
const HfFamily hf_family_phi2{.classes = kPhi2Classes,
                              .arch = "phi2",
                              .describe = describe_phi2,
                              .tensors = {kPhi2Tensors, kOuter, kAttention},
                              .defaults = R"({"partial_rotary_factor": 0.5})",
                              .activations = kGeluTanh,
                              .partial_rope = true};

}  // namespace skald
