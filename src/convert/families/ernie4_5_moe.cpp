// ERNIE 4.5 with experts beside shared ones.
#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kErnie45MoeClasses[] = {"Ernie4_5_MoeForCausalLM"};

constexpr TensorRule kErnie45MoeBias[] = {
    {"blk.#.exp_probs_b.bias", "model.layers.#.mlp.moe_statics.e_score_correction_bias", as_vector},
};

constexpr TensorRule kErnie45MoeMtp[] = {
    {"blk.#.nextn.eh_proj", "model.mtp_linear_proj.%"},
    {"blk.#.nextn.enorm", "model.mtp_emb_norm.%"},
    {"blk.#.nextn.hnorm", "model.mtp_hidden_norm.%"},
};

void describe_ernie4_5_moe(const HfConfig& c, Hyperparameters& out) {
  if (c.f32("moe_layer_end_index", -1) != -1) require_number(c, "moe_layer_end_index", static_cast<float>(c.n_layers() - 1));
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  expert_keys(c, out);
  shared_expert_keys(c, out, c.i64("moe_intermediate_size"));
  out.size("leading_dense_block_count", c.i64("moe_layer_start_index", 1));
  out.size("interleave_moe_layer_step", c.i64("moe_layer_interval", 1));
  require_number(c, "moe_norm_min", 1e-12f);  // the least sum of probabilities
  note_layers_ahead(c, out);
}

}  // namespace

extern const HfFamily hf_family_ernie4_5_moe;
const HfFamily hf_family_ernie4_5_moe{
    .classes = kErnie45MoeClasses,
    .arch = "ernie4_5-moe",
    .describe = describe_ernie4_5_moe,
    .tensors = {kOuter, kPreNorms, kAttention, kGatedFfn, kExperts, kSharedExperts, kErnie45MoeBias},
    .defaults = R"({"rope_theta": 5e5})",
    .ahead = {.blocks = {"model.mtp_block.%"}, .tensors = kErnie45MoeMtp}};

}  // namespace skald
