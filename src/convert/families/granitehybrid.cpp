// Granite 4 H, dense.
#include "convert/granite_parts.h"

namespace skald {
namespace {

constexpr std::string_view kGranitehybridClasses[] = {"GraniteMoeHybridForCausalLM"};

bool is_granitehybrid(const HfConfig& c) { return has_granite_mamba(c) && !has_granite_experts(c); }

void describe_granitehybrid(const HfConfig& c, Hyperparameters& out) { granite_hybrid_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_granitehybrid;
const HfFamily hf_family_granitehybrid{.classes = kGranitehybridClasses,
                                       .arch = "granitehybrid",
                                       .describe = describe_granitehybrid,
                                       .tensors = {kOuter, kPreNorms, kInterleavedAttention, kMamba2, kGraniteDense},
                                       .is_it = is_granitehybrid};

}  // namespace skald
