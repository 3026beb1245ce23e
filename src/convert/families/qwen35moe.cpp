// Qwen3.5 and 3.6 with experts.
#include "convert/expert_keys.h"
#include "convert/qwen_hybrid_parts.h"
#include "convert/requirements.h"

namespace skald {
namespace {

constexpr std::string_view kQwen35moeClasses[] = {"Qwen3_5MoeForCausalLM", "Qwen3_5MoeForConditionalGeneration"};

void describe_qwen35moe(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "norm_topk_prob", true, true);
  qwen_hybrid_keys(c, out);
  expert_keys(c, out);
  out.size("expert_shared_feed_forward_length", c.i64("shared_expert_intermediate_size"));
}

}  // namespace

extern const HfFamily hf_family_qwen35moe;
const HfFamily hf_family_qwen35moe{
    .classes = kQwen35moeClasses,
    .arch = "qwen35moe",
    .describe = describe_qwen35moe,
    .tensors = {kQwenHybrid, kOuter, kAttention, kTiledDeltaNet, kExperts, kScaledSharedExpert},
    .defaults = R"({"head_dim": 256, "partial_rotary_factor": 0.25})",
    .partial_rope = true,
    .ahead = kQwenAhead};

}  // namespace skald
