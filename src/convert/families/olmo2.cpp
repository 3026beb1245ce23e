// OLMo 2.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"Olmo2ForCausalLM"};

void describe(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_olmo2;
const HfFamily hf_family_olmo2{.classes = kClasses,
                               .arch = "olmo2",
                               .describe = describe,
                               .tensors = {kOuter, kAttention, kHeadNorms, kPostNorms, kGatedFfn},
                               .defaults = R"({"rms_norm_eps": 1e-5})"};

}  // namespace skald
