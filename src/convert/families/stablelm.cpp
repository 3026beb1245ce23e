// StableLM 3B, StableLM 2 1.6B and 12B; of the first also the form before transformers had the class.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kStablelmClasses[] = {"StableLmForCausalLM", "StableLMEpochForCausalLM"};

// A vector for each head.
constexpr TensorRule kNormsOfHeads[] = {
    {"blk.#.attn_q_norm.weight", "model.layers.#.self_attn.q_layernorm.norms.@.weight"},
    {"blk.#.attn_k_norm.weight", "model.layers.#.self_attn.k_layernorm.norms.@.weight"},
};

void describe_stablelm(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "hidden_act", kSilu);
  require_number(c, "rotary_scaling_factor", 1);
  c.pass_over("qk_layernorm");  // the tensors say it
  decoder_keys(c, out, kLayerNormEps);
  rope_keys(c, out, c.d_head());
  out.flag("use_parallel_residual", c.flag("use_parallel_residual", false));
}

}  // namespace

extern const HfFamily hf_family_stablelm;
const HfFamily hf_family_stablelm{.classes = kStablelmClasses,
                                  .arch = "stablelm",
                                  .describe = describe_stablelm,
                                  .tensors = {kOuter, kPreNorms, kAttention, kNormsOfHeads, kGatedFfn},
                                  .defaults = R"({"norm_eps": 1e-5, "rope_percent": 0.25})",
                                  .partial_rope = true};

}  // namespace skald
