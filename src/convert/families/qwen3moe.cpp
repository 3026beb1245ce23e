// Qwen3-30B-A3B, 235B-A22B, Coder.
#include "convert/expert_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kQwen3moeClasses[] = {"Qwen3MoeForCausalLM"};

void describe_qwen3moe(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "norm_topk_prob", true, false);
  require_experts_everywhere(c);
  require_no_window(c);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  expert_keys(c, out);
}

}  // namespace

extern const HfFamily hf_family_qwen3moe;
const HfFamily hf_family_qwen3moe{.classes = kQwen3moeClasses,
                                  .arch = "qwen3moe",
                                  .describe = describe_qwen3moe,
                                  .tensors = {kOuter, kPreNorms, kAttention, kHeadNorms, kExperts}};

}  // namespace skald
