// ERNIE 4.5, dense. Queries and keys are in the order of interleaved RoPE already.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kErnie45Classes[] = {"Ernie4_5ForCausalLM", "Ernie4_5_ForCausalLM"};

void describe_ernie4_5(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_ernie4_5;
const HfFamily hf_family_ernie4_5{.classes = kErnie45Classes,
                                  .arch = "ernie4_5",
                                  .describe = describe_ernie4_5,
                                  .tensors = {kOuter, kPreNorms, kAttention, kGatedFfn},
                                  .defaults = R"({"rope_theta": 5e5})"};

}  // namespace skald
