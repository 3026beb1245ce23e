// Granite 4 without Mamba layers, with experts.
#include "convert/granite_parts.h"

namespace skald {
namespace {

constexpr std::string_view kGranite4MoeClasses[] = {"GraniteMoeHybridForCausalLM"};

bool is_granite4_moe(const HfConfig& c) { return !has_granite_mamba(c) && has_granite_experts(c); }

void describe_granite4_moe(const HfConfig& c, Hyperparameters& out) { granite_hybrid_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_granite4_moe;
const HfFamily hf_family_granite4_moe{.classes = kGranite4MoeClasses,
                                      .arch = "granitemoe",
                                      .describe = describe_granite4_moe,
                                      .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGraniteExperts},
                                      .is_it = is_granite4_moe};

}  // namespace skald
