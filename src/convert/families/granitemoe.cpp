// Granite with experts.
#include "convert/expert_keys.h"
#include "convert/granite_parts.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"GraniteMoeForCausalLM", "GraniteMoeSharedForCausalLM"};

void describe(const HfConfig& c, Hyperparameters& out) {
  granite_keys(c, out);
  expert_keys(c, out);
  if (const int64_t d = c.i64("shared_intermediate_size", 0)) out.size("expert_shared_feed_forward_length", d);
}

}  // namespace

extern const HfFamily hf_family_granitemoe;
const HfFamily hf_family_granitemoe{.classes = kClasses,
                                    .arch = "granitemoe",
                                    .describe = describe,
                                    .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGraniteExperts}};

}  // namespace skald
