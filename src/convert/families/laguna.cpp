// Laguna.
#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kLagunaClasses[] = {"LagunaForCausalLM"};

constexpr TensorRule kLagunaTensors[] = {
    {"blk.#.attn_gate", "model.layers.#.self_attn.g_proj"},
    {"blk.#.exp_probs_b.bias", "model.layers.#.mlp.experts.e_score_correction_bias"},
    {"blk.#.ffn_gate_shexp", "model.layers.#.mlp.shared_expert.gate_proj"},
    {"blk.#.ffn_up_shexp", "model.layers.#.mlp.shared_expert.up_proj"},
    {"blk.#.ffn_down_shexp", "model.layers.#.mlp.shared_expert.down_proj"},
};

constexpr std::string_view kLagunaGates[] = {"per-head", "per-element", "per_head", "per_element"};

// Layers that say nothing of themselves have no window.
constexpr int64_t kNoPeriod = 1;

void describe_laguna(const HfConfig& c, Hyperparameters& out) {
  require_number(c, "moe_router_logit_softcapping", 0);
  require_flag(c, "moe_apply_router_weight_on_input", false, false);
  if (c.is_string("gating"))  // its tensor's rows say which of them it is
    require_word(c, "gating", kLagunaGates);
  else
    require_flag(c, "gating", true, true);
  c.pass_over("gating_types");
  decoder_keys(c, out);
  if (c.has("num_attention_heads_per_layer"))
    out.sizes("attention.head_count", c.sizes("num_attention_heads_per_layer", c.n_layers()));
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head(), {.layer_kind = "full_attention"});
  local_rope_keys(c, out, c.d_head());
  window_keys(c, out, window_layers(c, kNoPeriod));
  expert_keys(c, out);
  out.size("expert_shared_feed_forward_length", c.i64("shared_expert_intermediate_size"));
  out.size("leading_dense_block_count", dense_layers(c, 1));
  routing_keys(c, out);
}

constexpr std::string_view kLagunaDefaults = R"({"head_dim": 128, "rope_parameters": {
    "full_attention": {"rope_type": "default", "rope_theta": 5e5, "partial_rotary_factor": 0.5},
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 1.0}}})";

}  // namespace

extern const HfFamily hf_family_laguna;
const HfFamily hf_family_laguna{
    .classes = kLagunaClasses,
    .arch = "laguna",
    .describe = describe_laguna,
    .tensors = {kOuter, kPreNorms, kAttention, kHeadNorms, kGatedFfn, kExperts, kSharedExperts, kLagunaTensors},
    .defaults = kLagunaDefaults,
    .partial_rope = true};

}  // namespace skald
