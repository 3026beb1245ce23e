// Granite with experts.
#include "convert/expert_keys.h"
#include "convert/granite_parts.h"

namespace skald {
namespace {

constexpr std::string_view kGranitemoeClasses[] = {"GraniteMoeForCausalLM", "GraniteMoeSharedForCausalLM"};

void describe_granitemoe(const HfConfig& c, Hyperparameters& out) {
  granite_keys(c, out);
  expert_keys(c, out);
  if (const int64_t d = c.i64("shared_intermediate_size", 0)) out.size("expert_shared_feed_forward_length", d);
}

}  // namespace

extern const HfFamily hf_family_granitemoe;
const HfFamily hf_family_granitemoe{.classes = kGranitemoeClasses,
                                    .arch = "granitemoe",
                                    .describe = describe_granitemoe,
                                    .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGraniteExperts}};

}  // namespace skald
