// AFM.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kArceeClasses[] = {"ArceeForCausalLM"};

constexpr std::string_view kArceeActivations[] = {"relu2"};

void describe_arcee(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_arcee;
const HfFamily hf_family_arcee{.classes = kArceeClasses,
                               .arch = "arcee",
                               .describe = describe_arcee,
                               .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGatedFfn},
                               .activations = kArceeActivations};

}  // namespace skald
