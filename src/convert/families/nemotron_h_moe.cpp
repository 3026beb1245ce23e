// Nemotron 3: Nemotron-H with experts.
#include "convert/nemotron_parts.h"

namespace skald {
namespace {

constexpr std::string_view kNemotronHMoeClasses[] = {"NemotronHForCausalLM"};

bool is_nemotron_h_moe(const HfConfig& c) { return has_nemotron_experts(c); }

void describe_nemotron_h_moe(const HfConfig& c, Hyperparameters& out) { nemotron_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_nemotron_h_moe;
const HfFamily hf_family_nemotron_h_moe{.classes = kNemotronHMoeClasses,
                                        .arch = "nemotron_h_moe",
                                        .describe = describe_nemotron_h_moe,
                                        .tensors = {kMixer, kNemotron},
                                        .is_it = is_nemotron_h_moe,
                                        .activations = kReluSquared,
                                        .ahead = kNemotronAhead};

}  // namespace skald
