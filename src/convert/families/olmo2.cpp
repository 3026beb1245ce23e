// OLMo 2.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"Olmo2ForCausalLM"};

constexpr TensorRule kNorms[] = {
    {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm"},
    {"blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm"},
};

void describe(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_olmo2;
const HfFamily hf_family_olmo2{.classes = kClasses,
                               .arch = "olmo2",
                               .describe = describe,
                               .tensors = {kOuter, kAttention, kHeadNorms, kNorms, kGatedFfn},
                               .defaults = R"({"rms_norm_eps": 1e-5})"};

}  // namespace skald
