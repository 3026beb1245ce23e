// Granite 4 without Mamba layers, dense.
#include "convert/granite_parts.h"

namespace skald {
namespace {

constexpr std::string_view kGranite4Classes[] = {"GraniteMoeHybridForCausalLM"};

bool is_granite4(const HfConfig& c) { return !has_granite_mamba(c) && !has_granite_experts(c); }

void describe_granite4(const HfConfig& c, Hyperparameters& out) { granite_hybrid_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_granite4;
const HfFamily hf_family_granite4{.classes = kGranite4Classes,
                                  .arch = "granite",
                                  .describe = describe_granite4,
                                  .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGraniteDense},
                                  .is_it = is_granite4};

}  // namespace skald
