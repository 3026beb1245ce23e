// Hunyuan-A13B.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kHunyuanMoeClasses[] = {"HunYuanMoEV1ForCausalLM"};

constexpr TensorRule kHunyuanMoeNorms[] = {
    {"blk.#.attn_q_norm", "model.layers.#.self_attn.query_layernorm"},
    {"blk.#.attn_k_norm", "model.layers.#.self_attn.key_layernorm"},
    {"blk.#.ffn_gate_inp", "model.layers.#.mlp.gate.wg"},
    {"blk.#.ffn_gate_shexp", "model.layers.#.mlp.shared_mlp.gate_proj"},
    {"blk.#.ffn_up_shexp", "model.layers.#.mlp.shared_mlp.up_proj"},
    {"blk.#.ffn_down_shexp", "model.layers.#.mlp.shared_mlp.down_proj"},
};

void describe_hunyuan_moe(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "use_qk_norm", true, true);
  require_flag(c, "use_cla", false, false);
  require_flag(c, "use_mixed_mlp_moe", true, true);
  require_number(c, "moe_layer_num_skipped", 0);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  const int64_t d_ff = c.has("moe_intermediate_size") ? c.same_in_all("moe_intermediate_size") : c.d_ff();
  out.size("expert_count", c.i64("num_experts"));
  out.size("expert_used_count", c.same_in_all("moe_topk"));
  out.size("expert_feed_forward_length", d_ff);
  const int64_t n_shared = c.has("num_shared_expert") ? c.same_in_all("num_shared_expert") : 1;
  out.size("expert_shared_count", n_shared);
  out.size("expert_shared_feed_forward_length", n_shared * c.d_ff());
}

}  // namespace

extern const HfFamily hf_family_hunyuan_moe;
const HfFamily hf_family_hunyuan_moe{.classes = kHunyuanMoeClasses,
                                     .arch = "hunyuan-moe",
                                     .describe = describe_hunyuan_moe,
                                     .tensors = {kOuter, kPreNorms, kAttention, kHunyuanMoeNorms, kExperts}};

}  // namespace skald
