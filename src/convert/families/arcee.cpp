// AFM.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"ArceeForCausalLM"};

constexpr std::string_view kReluSquared[] = {"relu2"};

void describe(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_arcee;
const HfFamily hf_family_arcee{.classes = kClasses,
                               .arch = "arcee",
                               .describe = describe,
                               .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGatedFfn},
                               .activations = kReluSquared};

}  // namespace skald
