// Granite 3, dense.
#include "convert/granite_parts.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"GraniteForCausalLM"};

void describe(const HfConfig& c, Hyperparameters& out) { granite_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_granite;
const HfFamily hf_family_granite{.classes = kClasses,
                                 .arch = "granite",
                                 .describe = describe,
                                 .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGatedFfn}};

}  // namespace skald
