// GLM-4.5, 4.6 and 4.7.
#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kGlm4moeClasses[] = {"Glm4MoeForCausalLM"};

void describe_glm4moe(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  expert_keys(c, out);
  shared_expert_keys(c, out, c.i64("moe_intermediate_size"));
  out.size("leading_dense_block_count", dense_layers(c, 1));
  routing_keys(c, out);
  note_layers_ahead(c, out);
}

}  // namespace

extern const HfFamily hf_family_glm4moe;
const HfFamily hf_family_glm4moe{
    .classes = kGlm4moeClasses,
    .arch = "glm4moe",
    .describe = describe_glm4moe,
    .tensors = {kOuter, kNormsByPlace, kAttention, kHeadNorms, kGatedFfn, kExperts, kSharedExperts},
    .defaults = R"({"partial_rotary_factor": 0.5})",
    .partial_rope = true,
    .ahead = {.tensors = kNextn}};

}  // namespace skald
