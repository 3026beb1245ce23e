// gpt-oss: experts in MXFP4 as published, or as matrices (in, out) as transformers writes them.
#include <optional>

#include "convert/expert_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kGptOssClasses[] = {"GptOssForCausalLM"};

// Experts (experts, out, in), whichever way they are kept.
StoredView upright(const StoredView& in) { return in.stored().element == Element::kMxfp4 ? in : in.swap(1, 2); }

// Rows (or values of a bias) of gate and up take turns.
LazyTensor every_other(const StoredView& in, int64_t first) { return LazyTensor::of(in.split(1, {0, 2}).at(2, first)); }

LazyTensor down_gpt_oss(const StoredView& in, const MetaView&) { return LazyTensor::of(upright(in)); }
LazyTensor gate_gpt_oss(const StoredView& in, const MetaView&) { return every_other(upright(in), 0); }
LazyTensor up_gpt_oss(const StoredView& in, const MetaView&) { return every_other(upright(in), 1); }
LazyTensor gate_bias(const StoredView& in, const MetaView&) { return every_other(in, 0); }
LazyTensor up_bias(const StoredView& in, const MetaView&) { return every_other(in, 1); }

constexpr TensorRule kGptOssTensors[] = {
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
    {"blk.#.attn_sinks.weight", "model.layers.#.self_attn.sinks"},
    {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm"},
    {"blk.#.ffn_gate_inp", "model.layers.#.mlp.router"},
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.mlp.experts.gate_up_proj", gate_gpt_oss},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.mlp.experts.gate_up_proj", up_gpt_oss},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.mlp.experts.down_proj", down_gpt_oss},
    {"blk.#.ffn_gate_exps.bias", "model.layers.#.mlp.experts.gate_up_proj_bias", gate_bias},
    {"blk.#.ffn_up_exps.bias", "model.layers.#.mlp.experts.gate_up_proj_bias", up_bias},
    {"blk.#.ffn_down_exps.bias", "model.layers.#.mlp.experts.down_proj_bias"},
};

void describe_gpt_oss(const HfConfig& c, Hyperparameters& out) {
  require_full_attention_every(c, 2);
  require_number(c, "swiglu_limit", 7);
  c.pass_over("initial_context_length");  // which rope_scaling says too
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  window_key(c, out);
  expert_keys(c, out);
  out.size("expert_feed_forward_length", c.d_ff());
  if (const std::optional<HfConfig> scaling = c.object({"rope_scaling", "rope_parameters"}))
    out.flag("rope.scaling.yarn_truncate", scaling->flag("truncate", true));
}

}  // namespace

extern const HfFamily hf_family_gpt_oss;
const HfFamily hf_family_gpt_oss{.classes = kGptOssClasses,
                                 .arch = "gpt-oss",
                                 .describe = describe_gpt_oss,
                                 .tensors = {kOuter, kAttention, kGptOssTensors},
                                 .defaults = R"({"rope_theta": 150000})"};

}  // namespace skald
