// MiniMax-M2.
#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kMinimaxM2Classes[] = {"MiniMaxM2ForCausalLM"};

constexpr TensorRule kMoe[] = {
    {"blk.#.exp_probs_b.bias", "model.layers.#.block_sparse_moe.e_score_correction_bias"},
};

constexpr std::string_view kPerLayer[] = {"per_layer"};

void describe_minimax_m2(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "use_qk_norm", true, true);
  require_word(c, "qk_norm_type", kPerLayer);
  require_number(c, "shared_intermediate_size", 0);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  if (c.has("rotary_dim")) out.size("rope.dimension_count", c.i64("rotary_dim"));
  expert_keys(c, out);
  out.size("expert_feed_forward_length", c.d_ff());
  routing_keys(c, out);
  note_layers_ahead(c, out);
}

}  // namespace

extern const HfFamily hf_family_minimax_m2;
const HfFamily hf_family_minimax_m2{.classes = kMinimaxM2Classes,
                                    .arch = "minimax-m2",
                                    .describe = describe_minimax_m2,
                                    .tensors = {kOuter, kPreNorms, kAttention, kHeadNorms, kMixtral, kMoe},
                                    .defaults = R"({"rope_theta": 5e6})",
                                    .partial_rope = true,
                                    .ahead = {.tensors = kNextn}};

}  // namespace skald
