// Command R, Command R+, Aya 23.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kCommandRClasses[] = {"CohereForCausalLM"};

constexpr TensorRule kCommandRNorm[] = {
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
};

void describe_command_r(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out, kLayerNormEps);
  c.pass_over("use_qk_norm");  // the tensors say it
  // Command R says 8192 positions, and 131072 here, which it was trained for.
  out.size("context_length", c.i64("model_max_length", c.n_ctx()));
  rope_keys(c, out, c.d_head());
  out.number("logit_scale", c.f32("logit_scale", 0.0625f));
}

}  // namespace

extern const HfFamily hf_family_command_r;
const HfFamily hf_family_command_r{.classes = kCommandRClasses,
                                   .arch = "command-r",
                                   .describe = describe_command_r,
                                   .tensors = {kOuter, kCommandRNorm, kAttention, kHeadNorms, kGatedFfn},
                                   .defaults = R"({"tie_word_embeddings": true, "rope_theta": 5e5})"};

}  // namespace skald
