// Granite 3, dense.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"GraniteForCausalLM"};

void describe(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
  out.number("embedding_scale", c.f32("embedding_multiplier", 1));
  out.number("residual_scale", c.f32("residual_multiplier", 1));
  out.number("attention.scale", c.f32("attention_multiplier", 1));
  out.number("logit_scale", c.f32("logits_scaling", 1));
}

}  // namespace

extern const HfFamily hf_family_granite;
const HfFamily hf_family_granite{.classes = kClasses,
                                 .arch = "granite",
                                 .describe = describe,
                                 .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGatedFfn}};

}  // namespace skald
