// OLMoE.
#include "convert/expert_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kOlmoeClasses[] = {"OlmoeForCausalLM"};

void describe_olmoe(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "norm_topk_prob", false, false);
  require_absent(c, "clip_qkv");
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  expert_keys(c, out);
}

}  // namespace

extern const HfFamily hf_family_olmoe;
const HfFamily hf_family_olmoe{.classes = kOlmoeClasses,
                               .arch = "olmoe",
                               .describe = describe_olmoe,
                               .tensors = {kOuter, kPreNorms, kAttention, kHeadNorms, kExperts}};

}  // namespace skald
