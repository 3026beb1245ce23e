// Qwen1.5-MoE, Qwen2-57B-A14B.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"Qwen2MoeForCausalLM"};

constexpr TensorRule kShared[] = {
    {"blk.#.ffn_gate_inp_shexp.weight", "model.layers.#.mlp.shared_expert_gate.weight", as_vector},
    {"blk.#.ffn_gate_shexp", "model.layers.#.mlp.shared_expert.gate_proj"},
    {"blk.#.ffn_up_shexp", "model.layers.#.mlp.shared_expert.up_proj"},
    {"blk.#.ffn_down_shexp", "model.layers.#.mlp.shared_expert.down_proj"},
};

void describe(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "norm_topk_prob", false, false);
  require_experts_everywhere(c);
  require_no_window(c);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  expert_keys(c, out);
  out.size("expert_shared_feed_forward_length", c.i64("shared_expert_intermediate_size"));
}

}  // namespace

extern const HfFamily hf_family_qwen2moe;
const HfFamily hf_family_qwen2moe{.classes = kClasses,
                                  .arch = "qwen2moe",
                                  .describe = describe,
                                  .tensors = {kOuter, kPreNorms, kAttention, kExperts, kShared}};

}  // namespace skald
