// StarCoder 2.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kStarcoder2Classes[] = {"Starcoder2ForCausalLM"};

constexpr TensorRule kStarcoder2Ffn[] = {
    {"blk.#.ffn_up", "model.layers.#.mlp.c_fc"},
    {"blk.#.ffn_down", "model.layers.#.mlp.c_proj"},
};

void describe_starcoder2(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "hidden_act", kGeluTanh);
  decoder_keys(c, out, kLayerNormEps);
  rope_keys(c, out, c.d_head());
  window_key(c, out);
}

}  // namespace

extern const HfFamily hf_family_starcoder2;
const HfFamily hf_family_starcoder2{.classes = kStarcoder2Classes,
                                    .arch = "starcoder2",
                                    .describe = describe_starcoder2,
                                    .tensors = {kOuter, kPreNorms, kAttention, kStarcoder2Ffn},
                                    .defaults = R"({"tie_word_embeddings": true, "norm_epsilon": 1e-5})",
                                    .activations = kGeluTanh};

}  // namespace skald
