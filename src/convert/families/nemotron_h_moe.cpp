// Nemotron 3: Nemotron-H with experts.
#include "convert/nemotron_parts.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"NemotronHForCausalLM"};

bool is_it(const HfConfig& c) { return has_nemotron_experts(c); }

void describe(const HfConfig& c, Hyperparameters& out) { nemotron_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_nemotron_h_moe;
const HfFamily hf_family_nemotron_h_moe{.classes = kClasses,
                                        .arch = "nemotron_h_moe",
                                        .describe = describe,
                                        .tensors = {kMixer, kNemotron},
                                        .is_it = is_it,
                                        .activations = kReluSquared};

}  // namespace skald
