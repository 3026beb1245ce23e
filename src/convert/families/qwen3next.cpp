// Qwen3-Next.
#include "convert/expert_keys.h"
#include "convert/qwen_hybrid_parts.h"
#include "convert/requirements.h"

namespace skald {
namespace {

constexpr std::string_view kQwen3nextClasses[] = {"Qwen3NextForCausalLM"};

// Rows of each key head: its query and key, and its value heads and their gates.
struct Packed {
  StoredView heads;  // (key heads, rows, d_model)
  int64_t d_k, d_v;  // rows; d_v of all value heads
};

Packed packed(const StoredView& in, const MetaView& m) {
  const int64_t keys = m.in_range("ssm.group_count", 1, 65536);
  return {in.split(0, {keys, 0}), m.in_range("ssm.state_size", 1, 65536), m.i64("ssm.inner_size") / keys};
}

LazyTensor qkv(const StoredView& in, const MetaView& m) {
  const Packed p = packed(in, m);
  const int64_t keys = p.heads.dim(0), rows = keys * (2 * p.d_k + p.d_v);
  return {Shape{rows, in.cols()},
          {p.heads.take(1, 0, p.d_k), p.heads.take(1, p.d_k, p.d_k), p.heads.take(1, 2 * p.d_k, p.d_v)}};
}

LazyTensor gates(const StoredView& in, const MetaView& m) {
  const Packed p = packed(in, m);
  return {Shape{p.heads.dim(0) * p.d_v, in.cols()}, {p.heads.take(1, 2 * p.d_k + p.d_v, p.d_v)}};
}

constexpr TensorRule kDeltaNet[] = {
    {"blk.#.attn_qkv.weight", "model.layers.#.linear_attn.in_proj_qkvz.weight", qkv},
    {"blk.#.attn_gate.weight", "model.layers.#.linear_attn.in_proj_qkvz.weight", gates},
    {"blk.#.ssm_ba", "model.layers.#.linear_attn.in_proj_ba"},
    {"blk.#.ssm_conv1d", "model.layers.#.linear_attn.conv1d", filters},
    {"blk.#.ssm_a", "model.layers.#.linear_attn.A_log", rates, kWholeName},
    {"blk.#.ssm_dt.bias", "model.layers.#.linear_attn.dt_bias"},
    {"blk.#.ssm_out", "model.layers.#.linear_attn.out_proj"},
};

void describe_qwen3next(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "norm_topk_prob", true, true);
  require_experts_everywhere(c);
  qwen_hybrid_keys(c, out);
  expert_keys(c, out);
  out.size("expert_shared_feed_forward_length", c.i64("shared_expert_intermediate_size"));
}

}  // namespace

extern const HfFamily hf_family_qwen3next;
const HfFamily hf_family_qwen3next{.classes = kQwen3nextClasses,
                                   .arch = "qwen3next",
                                   .describe = describe_qwen3next,
                                   .tensors = {kQwenHybrid, kOuter, kAttention, kDeltaNet, kExperts, kScaledSharedExpert},
                                   .defaults = R"({"head_dim": 256, "partial_rotary_factor": 0.25})",
                                   .partial_rope = true,
                                   .ahead = kQwenAhead};

}  // namespace skald
