// Granite 4 without Mamba layers, with experts.
#include "convert/granite_parts.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"GraniteMoeHybridForCausalLM"};

bool is_it(const HfConfig& c) { return !has_granite_mamba(c) && has_granite_experts(c); }

void describe(const HfConfig& c, Hyperparameters& out) { granite_hybrid_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_granite4_moe;
const HfFamily hf_family_granite4_moe{.classes = kClasses,
                                      .arch = "granitemoe",
                                      .describe = describe,
                                      .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGraniteExperts},
                                      .is_it = is_it};

}  // namespace skald
