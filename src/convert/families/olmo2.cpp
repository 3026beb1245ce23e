// OLMo 2.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kOlmo2Classes[] = {"Olmo2ForCausalLM"};

void describe_olmo2(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_olmo2;
const HfFamily hf_family_olmo2{.classes = kOlmo2Classes,
                               .arch = "olmo2",
                               .describe = describe_olmo2,
                               .tensors = {kOuter, kAttention, kHeadNorms, kPostNorms, kGatedFfn},
                               .defaults = R"({"rms_norm_eps": 1e-5})"};

}  // namespace skald
