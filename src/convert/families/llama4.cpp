// Llama 4, of those that take pictures the language model.
#include "convert/expert_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kLlama4Classes[] = {"Llama4ForCausalLM", "Llama4ForConditionalGeneration"};
constexpr int64_t kMaxExpertsWithNorms = 127, kNever = UINT32_MAX;

// Experts are kept as (experts, in, out); gate and up lie beside each other.
LazyTensor gate_llama4(const StoredView& in, const MetaView& m) { return first_half(in.swap(1, 2), m); }
LazyTensor up_llama4(const StoredView& in, const MetaView& m) { return second_half(in.swap(1, 2), m); }

constexpr TensorRule kLlama4Ffn[] = {
    {"blk.#.ffn_gate", "model.layers.#.feed_forward.gate_proj"},
    {"blk.#.ffn_up", "model.layers.#.feed_forward.up_proj"},
    {"blk.#.ffn_down", "model.layers.#.feed_forward.down_proj"},
    {"blk.#.ffn_gate_inp", "model.layers.#.feed_forward.router"},
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.feed_forward.experts.gate_up_proj", gate_llama4},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.feed_forward.experts.gate_up_proj", up_llama4},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.feed_forward.experts.down_proj", transpose},
    {"blk.#.ffn_gate_shexp", "model.layers.#.feed_forward.shared_expert.gate_proj"},
    {"blk.#.ffn_up_shexp", "model.layers.#.feed_forward.shared_expert.up_proj"},
    {"blk.#.ffn_down_shexp", "model.layers.#.feed_forward.shared_expert.down_proj"},
};

void describe_llama4(const HfConfig& c, Hyperparameters& out) {
  require_full_attention_every(c, 4);
  require_no_rope_every(c, 4);
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
  require_experts_in_every(c, c.i64("interleave_moe_layer_step", 1));
  expert_keys(c, out);
  require_flag(c, "use_qk_norm", c.i64("num_local_experts") <= kMaxExpertsWithNorms, true);
  out.size("feed_forward_length", c.i64("intermediate_size_mlp"));
  out.size("expert_feed_forward_length", c.i64("intermediate_size"));
  out.size("interleave_moe_layer_step", c.i64("interleave_moe_layer_step", 1));
  out.size("attention.sliding_window", c.i64("attention_chunk_size", 8192));
  out.size("attention.temperature_length", c.flag("attn_temperature_tuning", true) ? c.i64("floor_scale", 8192) : kNever);
  out.number("attention.temperature_scale", c.f32("attn_scale", 0.1f));
}

}  // namespace

extern const HfFamily hf_family_llama4;
const HfFamily hf_family_llama4{.classes = kLlama4Classes,
                                .arch = "llama4",
                                .describe = describe_llama4,
                                .tensors = {kOuter, kPreNorms, kAttention, kLlama4Ffn},
                                .defaults = R"({"rope_theta": 5e5})"};

}  // namespace skald
