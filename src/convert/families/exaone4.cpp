// EXAONE 4 and the language model of 4.5.
#include "convert/layer_keys.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kExaone4Classes[] = {"Exaone4ForCausalLM", "Exaone4_5_ForConditionalGeneration"};

void describe_exaone4(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
  if (has_window(c)) window_keys(c, out, window_layers(c, 4));  // else all layers have RoPE
  note_layers_ahead(c, out);
}

}  // namespace

extern const HfFamily hf_family_exaone4;
const HfFamily hf_family_exaone4{.classes = kExaone4Classes,
                                 .arch = "exaone4",
                                 .describe = describe_exaone4,
                                 .tensors = {kOuter, kAttention, kHeadNorms, kPostNorms, kGatedFfn},
                                 .ahead = {.blocks = {kMtpBlock}, .tensors = kMtp}};

}  // namespace skald
