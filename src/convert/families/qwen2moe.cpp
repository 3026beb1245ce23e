// Qwen1.5-MoE, Qwen2-57B-A14B.
#include "convert/expert_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kQwen2moeClasses[] = {"Qwen2MoeForCausalLM"};

void describe_qwen2moe(const HfConfig& c, Hyperparameters& out) {
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
const HfFamily hf_family_qwen2moe{.classes = kQwen2moeClasses,
                                  .arch = "qwen2moe",
                                  .describe = describe_qwen2moe,
                                  .tensors = {kOuter, kPreNorms, kAttention, kExperts, kScaledSharedExpert}};

}  // namespace skald
