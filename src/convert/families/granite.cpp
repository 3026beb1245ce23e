// Granite 3, dense.
#include "convert/granite_parts.h"

namespace skald {
namespace {

constexpr std::string_view kGraniteClasses[] = {"GraniteForCausalLM"};

void describe_granite(const HfConfig& c, Hyperparameters& out) { granite_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_granite;
const HfFamily hf_family_granite{.classes = kGraniteClasses,
                                 .arch = "granite",
                                 .describe = describe_granite,
                                 .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGatedFfn}};

}  // namespace skald
