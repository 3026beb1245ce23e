// EXAONE 4 and the language model of 4.5.
#include "convert/layer_keys.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"Exaone4ForCausalLM", "Exaone4_5_ForConditionalGeneration"};

void describe(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
  if (has_window(c)) window_keys(c, out, window_layers(c, 4));  // else all layers have RoPE
  leave_out_prediction_layers(c, out);
}

}  // namespace

extern const HfFamily hf_family_exaone4;
const HfFamily hf_family_exaone4{.classes = kClasses,
                                 .arch = "exaone4",
                                 .describe = describe,
                                 .tensors = {kOuter, kAttention, kHeadNorms, kPostNorms, kGatedFfn}};

}  // namespace skald
