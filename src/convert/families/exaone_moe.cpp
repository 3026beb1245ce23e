// K-EXAONE.
#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kExaoneMoeClasses[] = {"ExaoneMoeForCausalLM", "ExaoneMoEForCausalLM"};

constexpr TensorRule kExaoneMoeBias[] = {
    {"blk.#.exp_probs_b.bias", "model.layers.#.mlp.e_score_correction_bias"},
};

void describe_exaone_moe(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
  window_keys(c, out, window_layers(c, 4));
  expert_keys(c, out);
  shared_expert_keys(c, out, c.i64("moe_intermediate_size"));
  out.size("leading_dense_block_count", dense_layers(c, 1));
  c.pass_over("is_moe_layer");  // the same, layer by layer
  routing_keys(c, out, {.scale = 2.5f});
  note_layers_ahead(c, out);
}

}  // namespace

extern const HfFamily hf_family_exaone_moe;
const HfFamily hf_family_exaone_moe{
    .classes = kExaoneMoeClasses,
    .arch = "exaone-moe",
    .describe = describe_exaone_moe,
    .tensors = {kOuter, kPreNorms, kAttention, kHeadNorms, kGatedFfn, kExperts, kSharedExperts, kExaoneMoeBias},
    .defaults = R"({"sliding_window": 4096})",
    .ahead = {.blocks = {kMtpBlock}, .tensors = kMtp}};

}  // namespace skald
