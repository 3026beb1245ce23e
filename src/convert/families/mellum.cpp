// Mellum 2.
#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kMellumClasses[] = {"MellumForCausalLM"};

void describe_mellum(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "norm_topk_prob", true, true);
  require_experts_everywhere(c);
  if (dense_layers(c, 0)) require_number(c, "first_k_dense_replace", 0);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head(), {.layer_kind = "full_attention"});
  local_rope_keys(c, out, c.d_head());
  window_keys(c, out, window_layers(c, 4));
  expert_keys(c, out);
  note_layers_ahead(c, out);
}

}  // namespace

extern const HfFamily hf_family_mellum;
const HfFamily hf_family_mellum{.classes = kMellumClasses,
                                .arch = "mellum",
                                .describe = describe_mellum,
                                .tensors = {kOuter, kPreNorms, kAttention, kHeadNorms, kExperts}};

}  // namespace skald
