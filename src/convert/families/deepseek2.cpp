// DeepSeek-V2, V2-Lite, V3, R1 and Kimi K2, with the matrix that makes keys and values of latent vectors taken apart, so
// that the cache holds latent vectors.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM"};

// [head][rows for its keys, rows for its values]: (heads, d, rank).
StoredView by_heads(const StoredView& in, const MetaView& m) {
  return in.split(0, {m.in_range("attention.head_count", 1, 65536), 0});
}
int64_t d_value(const MetaView& m) { return m.i64("attention.value_length_mla"); }

// (heads, rank, d): they meet the queries.
LazyTensor keys(const StoredView& in, const MetaView& m) {
  const StoredView heads = by_heads(in, m);
  return LazyTensor::of(heads.take(1, 0, heads.dim(1) - d_value(m)).swap(1, 2));
}
LazyTensor values(const StoredView& in, const MetaView& m) {
  const StoredView heads = by_heads(in, m);
  return LazyTensor::of(heads.take(1, heads.dim(1) - d_value(m), d_value(m)));
}

constexpr TensorRule kLatent[] = {
    {"blk.#.attn_q", "model.layers.#.self_attn.q_proj"},
    {"blk.#.attn_q_a", "model.layers.#.self_attn.q_a_proj"},
    {"blk.#.attn_q_a_norm", "model.layers.#.self_attn.q_a_layernorm"},
    {"blk.#.attn_q_b", "model.layers.#.self_attn.q_b_proj"},
    {"blk.#.attn_kv_a_mqa", "model.layers.#.self_attn.kv_a_proj_with_mqa"},
    {"blk.#.attn_kv_a_norm", "model.layers.#.self_attn.kv_a_layernorm"},
    {"blk.#.attn_k_b.weight", "model.layers.#.self_attn.kv_b_proj.weight", keys},
    {"blk.#.attn_v_b.weight", "model.layers.#.self_attn.kv_b_proj.weight", values},
    {"blk.#.attn_output", "model.layers.#.self_attn.o_proj"},
};

constexpr TensorRule kShared[] = {
    {"blk.#.exp_probs_b.bias", "model.layers.#.mlp.gate.e_score_correction_bias"},
    {"blk.#.ffn_gate_shexp", "model.layers.#.mlp.shared_experts.gate_proj"},
    {"blk.#.ffn_up_shexp", "model.layers.#.mlp.shared_experts.up_proj"},
    {"blk.#.ffn_down_shexp", "model.layers.#.mlp.shared_experts.down_proj"},
};

void attention_keys(const HfConfig& c, Hyperparameters& out) {
  const int64_t rank = c.i64("kv_lora_rank"), d_rope = c.i64("qk_rope_head_dim");
  rope_keys(c, out, d_rope);
  if (c.has("q_lora_rank")) out.size("attention.q_lora_rank", c.i64("q_lora_rank"));
  out.size("attention.kv_lora_rank", rank);
  // All heads share one key and value, of which these are the sizes; those of heads have keys of their own.
  out.size("attention.head_count_kv", 1);
  out.size("attention.key_length", rank + d_rope);
  out.size("attention.value_length", rank);
  out.size("attention.key_length_mla", c.i64("qk_nope_head_dim") + d_rope);
  out.size("attention.value_length_mla", c.i64("v_head_dim"));
  const std::optional<HfConfig> scaling = c.object({"rope_scaling", "rope_parameters"});
  if (!scaling || scaling->str({"rope_type", "type"}, "default") != "yarn") return;
  // What YaRN multiplies scores by; rotated values are not scaled, which is the quotient of the two.
  const float sharpen = scaling->f32("mscale_all_dim", 0);
  if (const float mscale = scaling->f32("mscale", 1); mscale != sharpen)
    fail(Errc::kUnsupported, "config.json: mscale: {} is not supported, only that of mscale_all_dim, {}", mscale, sharpen);
  out.number("rope.scaling.yarn_log_multiplier", 0.1f * sharpen);
}

constexpr std::string_view kTopkMethods[] = {"noaux_tc", "group_limited_greedy", "greedy"};

void routing_keys(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "topk_method", kTopkMethods);
  const bool sigmoid = c.str("scoring_func", c.str("model_type", "") == "deepseek_v2" ? "softmax" : "sigmoid") == "sigmoid";
  out.size("expert_gating_func", sigmoid ? 2 : 1);
  out.number("expert_weights_scale", c.f32("routed_scaling_factor", 1));
  out.flag("expert_weights_norm", c.flag("norm_topk_prob", sigmoid));
  c.pass_over("topk_group");  // of groups, where there are any
  if (!c.has("n_group") || c.str("topk_method", "") == "greedy") return;
  out.size("expert_group_count", c.i64("n_group"));
  out.size("expert_group_used_count", c.i64("topk_group"));
}

void describe(const HfConfig& c, Hyperparameters& out) {
  require_number(c, "moe_layer_freq", 1);
  require_flag(c, "rope_interleave", true, true);
  require_number(c, "num_key_value_heads", static_cast<float>(c.n_heads()));
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  attention_keys(c, out);
  expert_keys(c, out);
  out.size("expert_shared_count", c.i64("n_shared_experts", 0));
  out.size("leading_dense_block_count", c.i64("first_k_dense_replace", 0));
  routing_keys(c, out);
  // Layers that predict tokens further ahead; published models have one.
  for (int64_t i = 0; i < std::min<int64_t>(c.i64("num_nextn_predict_layers", 0), 16); ++i)
    out.leave_out(fmt::format("model.layers.{}.*", c.n_layers() + i));
}

}  // namespace

extern const HfFamily hf_family_deepseek2;
const HfFamily hf_family_deepseek2{.classes = kClasses,
                                   .arch = "deepseek2",
                                   .describe = describe,
                                   .tensors = {kOuter, kPreNorms, kLatent, kGatedFfn, kExperts, kShared}};

}  // namespace skald
