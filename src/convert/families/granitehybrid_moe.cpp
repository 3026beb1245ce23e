// Granite 4 H with experts.
#include "convert/granite_parts.h"

namespace skald {
namespace {

constexpr std::string_view kGranitehybridMoeClasses[] = {"GraniteMoeHybridForCausalLM"};

bool is_granitehybrid_moe(const HfConfig& c) { return has_granite_mamba(c) && has_granite_experts(c); }

void describe_granitehybrid_moe(const HfConfig& c, Hyperparameters& out) { granite_hybrid_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_granitehybrid_moe;
const HfFamily hf_family_granitehybrid_moe{.classes = kGranitehybridMoeClasses,
                                           .arch = "granitehybrid",
                                           .describe = describe_granitehybrid_moe,
                                           .tensors = {kOuter, kPreNorms, kInterleavedAttention, kMamba2, kGraniteExperts},
                                           .is_it = is_granitehybrid_moe};

}  // namespace skald
