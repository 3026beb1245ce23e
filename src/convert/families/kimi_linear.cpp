// Kimi Linear.
#include "base/error.h"
#include "convert/deepseek_parts.h"
#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"

namespace skald {
namespace {

constexpr std::string_view kKimiLinearClasses[] = {"KimiLinearForCausalLM"};

// As llama.cpp keeps them: filters (1, channels, 1, taps), rates (1, 1, heads, 1).
LazyTensor kda_filters(const StoredView& in, const MetaView& m) {
  const LazyTensor flat = filters(in, m);
  return flat.seen_as(Shape{1, flat.shape[0], 1, flat.shape.back()});
}
LazyTensor kda_rates(const StoredView& in, const MetaView& m) { return rates(in, m).seen_as(Shape{1, 1, in.elements(), 1}); }

constexpr TensorRule kKimiLinearTensors[] = {
    {"blk.#.ssm_conv1d_q.weight", "model.layers.#.self_attn.q_conv1d.weight", kda_filters},
    {"blk.#.ssm_conv1d_k.weight", "model.layers.#.self_attn.k_conv1d.weight", kda_filters},
    {"blk.#.ssm_conv1d_v.weight", "model.layers.#.self_attn.v_conv1d.weight", kda_filters},
    {"blk.#.ssm_a", "model.layers.#.self_attn.A_log", kda_rates, kWholeName},
    {"blk.#.ssm_dt.bias", "model.layers.#.self_attn.dt_bias"},
    {"blk.#.ssm_beta", "model.layers.#.self_attn.b_proj"},
    {"blk.#.ssm_f_a", "model.layers.#.self_attn.f_a_proj"},
    {"blk.#.ssm_f_b", "model.layers.#.self_attn.f_b_proj"},
    {"blk.#.ssm_g_a", "model.layers.#.self_attn.g_a_proj"},
    {"blk.#.ssm_g_b", "model.layers.#.self_attn.g_b_proj"},
    {"blk.#.ssm_norm", "model.layers.#.self_attn.o_norm"},
    {"blk.#.exp_probs_b.bias", "model.layers.#.block_sparse_moe.gate.e_score_correction_bias"},
    {"blk.#.ffn_gate_shexp", "model.layers.#.block_sparse_moe.shared_experts.gate_proj"},
    {"blk.#.ffn_up_shexp", "model.layers.#.block_sparse_moe.shared_experts.up_proj"},
    {"blk.#.ffn_down_shexp", "model.layers.#.block_sparse_moe.shared_experts.down_proj"},
};

// Layers with attention, which are numbered from 1; by words in newer configurations.
std::vector<bool> attention_layers(const HfConfig& c, const HfConfig& linear) {
  constexpr std::string_view kKinds[] = {"linear_attention", "full_attention"};
  const std::vector<std::string> kinds = layer_kinds(c, kKinds);
  linear.pass_over("kda_layers");
  if (!kinds.empty()) {
    linear.pass_over("full_attn_layers");
    return layers_that_are(kinds, "full_attention");
  }
  std::vector<bool> out(static_cast<size_t>(c.n_layers()));
  for (const int64_t number : linear.sizes("full_attn_layers")) {
    if (number < 1 || number > std::ssize(out)) fail(Errc::kBadFile, "config.json: full_attn_layers: no layer {}", number);
    out[static_cast<size_t>(number - 1)] = true;
  }
  return out;
}

void describe_kimi_linear(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "mla_use_nope", true, true);
  require_number(c, "moe_layer_freq", 1);
  require_absent(c, "q_lora_rank");
  require_number(c, "num_key_value_heads", static_cast<float>(c.n_heads()));
  const HfConfig linear = c.object("linear_attn_config").value_or(c);
  const int64_t rank = c.i64("kv_lora_rank"), d_rope = c.i64("qk_rope_head_dim");
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, d_rope);
  out.sizes("attention.head_count_kv", where(attention_layers(c, linear), 1));
  out.size("attention.kv_lora_rank", rank);
  out.size("attention.key_length", rank + d_rope);
  out.size("attention.value_length", rank);
  out.size("attention.key_length_mla", c.i64("qk_nope_head_dim") + d_rope);
  out.size("attention.value_length_mla", c.i64("v_head_dim"));
  out.size("ssm.conv_kernel", linear.i64({"short_conv_kernel_size", "linear_conv_kernel_dim"}, 4));
  out.size("kda.head_dim", linear.i64({"head_dim", "linear_head_dim"}));
  for (const char* key : {"linear_conv_kernel_dim", "linear_head_dim"}) c.pass_over(key);
  if (linear.i64({"num_heads", "linear_num_heads"}, c.n_heads()) != c.n_heads())
    fail(Errc::kUnsupported, "config.json: linear_attn_config.num_heads: want {} as of attention", c.n_heads());
  c.pass_over("linear_num_heads");
  expert_keys(c, out);
  shared_expert_keys(c, out, c.i64("moe_intermediate_size"));
  out.size("leading_dense_block_count", dense_layers(c, 1));
  routing_keys(c, out);
  note_layers_ahead(c, out);
}

}  // namespace

extern const HfFamily hf_family_kimi_linear;
const HfFamily hf_family_kimi_linear{
    .classes = kKimiLinearClasses,
    .arch = "kimi-linear",
    .describe = describe_kimi_linear,
    .tensors = {kOuter, kPreNorms, kAttention, kLatent, kGatedFfn, kMixtral, kSharedExperts, kKimiLinearTensors}};

}  // namespace skald
