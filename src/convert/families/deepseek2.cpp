// DeepSeek-V2, V2-Lite, V3, R1, Kimi K2 and GLM-4.7-Flash.
#include "convert/deepseek_parts.h"

namespace skald {
namespace {

constexpr std::string_view kDeepseek2Classes[] = {"DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM",
                                                  "Glm4MoeLiteForCausalLM"};

void describe_deepseek2(const HfConfig& c, Hyperparameters& out) { deepseek_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_deepseek2;
const HfFamily hf_family_deepseek2{.classes = kDeepseek2Classes,
                                   .arch = "deepseek2",
                                   .describe = describe_deepseek2,
                                   .tensors = {kOuter, kPreNorms, kLatent, kGatedFfn, kExperts, kSharedExperts},
                                   .ahead = {.tensors = kNextn}};

}  // namespace skald
