// GPT-2, Cerebras-GPT.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kGpt2Classes[] = {"GPT2LMHeadModel"};

constexpr TensorRule kGpt2Blocks[] = {
    {"blk.#.attn_qkv", "transformer.h.#.attn.c_attn", transpose},
    {"blk.#.attn_output", "transformer.h.#.attn.c_proj", transpose},
    {"blk.#.ffn_up", "transformer.h.#.mlp.c_fc", transpose},
    {"blk.#.ffn_down", "transformer.h.#.mlp.c_proj", transpose},
};

void describe_gpt2(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "scale_attn_weights", true, true);
  require_flag(c, "scale_attn_by_inverse_layer_idx", false, false);
  decoder_keys(c, out, kLayerNormEps);
  activation_key(c, out, "gelu_new");
}

}  // namespace

extern const HfFamily hf_family_gpt2;
const HfFamily hf_family_gpt2{.classes = kGpt2Classes,
                              .arch = "gpt2",
                              .describe = describe_gpt2,
                              .tensors = {kGpt2Outer, kGpt2Blocks},
                              .defaults = R"({"tie_word_embeddings": true, "layer_norm_epsilon": 1e-5})",
                              .activations = {}};

}  // namespace skald
