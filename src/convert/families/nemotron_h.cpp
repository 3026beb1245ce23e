// Nemotron-H and Nemotron Nano 2.
#include "convert/nemotron_parts.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"NemotronHForCausalLM"};

bool is_it(const HfConfig& c) { return !has_nemotron_experts(c); }

void describe(const HfConfig& c, Hyperparameters& out) { nemotron_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_nemotron_h;
const HfFamily hf_family_nemotron_h{.classes = kClasses,
                                    .arch = "nemotron_h",
                                    .describe = describe,
                                    .tensors = {kMixer, kNemotron},
                                    .is_it = is_it,
                                    .activations = kReluSquared};

}  // namespace skald
