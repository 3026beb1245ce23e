// ERNIE 4.5, dense. Queries and keys are in the order of interleaved RoPE already.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"Ernie4_5ForCausalLM", "Ernie4_5_ForCausalLM"};

void describe(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_ernie4_5;
const HfFamily hf_family_ernie4_5{.classes = kClasses,
                                  .arch = "ernie4_5",
                                  .describe = describe,
                                  .tensors = {kOuter, kPreNorms, kAttention, kGatedFfn},
                                  .defaults = R"({"rope_theta": 5e5})"};

}  // namespace skald
