// Nemotron-H and Nemotron Nano 2.
#include "convert/nemotron_parts.h"

namespace skald {
namespace {

constexpr std::string_view kNemotronHClasses[] = {"NemotronHForCausalLM"};

bool is_nemotron_h(const HfConfig& c) { return !has_nemotron_experts(c); }

void describe_nemotron_h(const HfConfig& c, Hyperparameters& out) { nemotron_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_nemotron_h;
const HfFamily hf_family_nemotron_h{.classes = kNemotronHClasses,
                                    .arch = "nemotron_h",
                                    .describe = describe_nemotron_h,
                                    .tensors = {kMixer, kNemotron},
                                    .is_it = is_nemotron_h,
                                    .activations = kReluSquared,
                                    .ahead = kNemotronAhead};

}  // namespace skald
