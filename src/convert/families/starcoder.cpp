// StarCoder and SantaCoder: GPT-BigCode.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kStarcoderClasses[] = {"GPTBigCodeForCausalLM"};

// One key head lies after all queries; where each query head has its own, they lie in groups.
constexpr TensorRule kStarcoderBlocks[] = {
    {"blk.#.attn_qkv", "transformer.h.#.attn.c_attn", regroup_qkv},
    {"blk.#.attn_output", "transformer.h.#.attn.c_proj"},
    {"blk.#.ffn_up", "transformer.h.#.mlp.c_fc"},
    {"blk.#.ffn_down", "transformer.h.#.mlp.c_proj"},
};

void describe_starcoder(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "activation_function", kGeluTanh);
  require_flag(c, "scale_attn_weights", true, true);
  decoder_keys(c, out, kLayerNormEps);
  out.size("attention.head_count_kv", c.flag("multi_query", true) ? 1 : c.n_heads());
}

}  // namespace

extern const HfFamily hf_family_starcoder;
const HfFamily hf_family_starcoder{.classes = kStarcoderClasses,
                                   .arch = "starcoder",
                                   .describe = describe_starcoder,
                                   .tensors = {kGpt2Outer, kStarcoderBlocks},
                                   .defaults = R"({"tie_word_embeddings": true, "layer_norm_epsilon": 1e-5})",
                                   .activations = kGeluTanh};

}  // namespace skald
