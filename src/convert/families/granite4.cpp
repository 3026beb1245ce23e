// Granite 4 without Mamba layers, dense.
#include "convert/granite_parts.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"GraniteMoeHybridForCausalLM"};

bool is_it(const HfConfig& c) { return !has_granite_mamba(c) && !has_granite_experts(c); }

void describe(const HfConfig& c, Hyperparameters& out) { granite_hybrid_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_granite4;
const HfFamily hf_family_granite4{.classes = kClasses,
                                  .arch = "granite",
                                  .describe = describe,
                                  .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGraniteDense},
                                  .is_it = is_it};

}  // namespace skald
