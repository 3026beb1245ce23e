// Qwen3-VL with experts, the language model.
#include "convert/expert_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kQwen3vlmoeClasses[] = {"Qwen3VLMoeForConditionalGeneration"};

// Experts are kept as (experts, in, out), by some programs as (experts, out, in).
// `model_axis`: where the model's width is in the first of these.
StoredView experts_upright(const StoredView& in, int model_axis, const MetaView& m) {
  const int64_t d = m.i64("embedding_length");
  const bool upright = in.rank() != 3 || in.dim(model_axis) != d || in.dim(3 - model_axis) == d;
  return upright ? in : in.swap(1, 2);
}

LazyTensor gate_qwen3vlmoe(const StoredView& in, const MetaView& m) { return first_half(experts_upright(in, 1, m), m); }
LazyTensor up_qwen3vlmoe(const StoredView& in, const MetaView& m) { return second_half(experts_upright(in, 1, m), m); }
LazyTensor down_qwen3vlmoe(const StoredView& in, const MetaView& m) { return LazyTensor::of(experts_upright(in, 2, m)); }

constexpr TensorRule kPacked[] = {
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.mlp.experts.gate_up_proj", gate_qwen3vlmoe},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.mlp.experts.gate_up_proj", up_qwen3vlmoe},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.mlp.experts.down_proj", down_qwen3vlmoe},
};

void describe_qwen3vlmoe(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "norm_topk_prob", true, true);
  require_experts_everywhere(c);
  require_no_window(c);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  rope_section_keys(c, out);
  expert_keys(c, out);
}

}  // namespace

extern const HfFamily hf_family_qwen3vlmoe;
const HfFamily hf_family_qwen3vlmoe{.classes = kQwen3vlmoeClasses,
                                    .arch = "qwen3vlmoe",
                                    .describe = describe_qwen3vlmoe,
                                    .tensors = {kOuter, kPreNorms, kAttention, kHeadNorms, kPacked, kExperts},
                                    .defaults = R"({"rope_theta": 5e5})"};

}  // namespace skald
