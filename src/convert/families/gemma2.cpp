// Gemma 2.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kGemma2Classes[] = {"Gemma2ForCausalLM"};

void describe_gemma2(const HfConfig& c, Hyperparameters& out) {
  require_full_attention_every(c, 2);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  window_key(c, out);
  query_scale_key(c, out, 46);
  out.number("attn_logit_softcapping", c.f32("attn_logit_softcapping"));
  out.number("final_logit_softcapping", c.f32("final_logit_softcapping"));
}

}  // namespace

extern const HfFamily hf_family_gemma2;
const HfFamily hf_family_gemma2{
    .classes = kGemma2Classes,
    .arch = "gemma2",
    .describe = describe_gemma2,
    .tensors = {kShiftedSandwichNorms, kOuter, kAttention, kGatedFfn},
    .defaults = R"({"head_dim": 256, "query_pre_attn_scalar": 256, "tie_word_embeddings": true})",
    .activations = kGeluTanh};

}  // namespace skald
