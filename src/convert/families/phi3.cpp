// Phi-3, 3.5, 4 and their small forms.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kPhi3Classes[] = {"Phi3ForCausalLM"};

constexpr TensorRule kPhi3Tensors[] = {
    {"blk.#.attn_qkv", "model.layers.#.self_attn.qkv_proj"},
    {"blk.#.attn_output", "model.layers.#.self_attn.o_proj"},
    {"blk.#.ffn_up", "model.layers.#.mlp.gate_up_proj"},
    {"blk.#.ffn_down", "model.layers.#.mlp.down_proj"},
};

void describe_phi3(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  out.size("rope.scaling.original_context_length", c.i64("original_max_position_embeddings", c.n_ctx()));
  rope_keys(c, out, c.d_head());
  out.size("attention.sliding_window", c.i64("sliding_window", 0));  // 0 tells Phi-4 from those with a window
}

}  // namespace

extern const HfFamily hf_family_phi3;
const HfFamily hf_family_phi3{.classes = kPhi3Classes,
                              .arch = "phi3",
                              .describe = describe_phi3,
                              .tensors = {kOuter, kPreNorms, kPhi3Tensors},
                              .partial_rope = true};

}  // namespace skald
