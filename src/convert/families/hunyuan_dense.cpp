// Hunyuan, dense.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"HunYuanDenseV1ForCausalLM"};

constexpr TensorRule kNorms[] = {
    {"blk.#.attn_q_norm", "model.layers.#.self_attn.query_layernorm"},
    {"blk.#.attn_k_norm", "model.layers.#.self_attn.key_layernorm"},
};

void describe(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "use_qk_norm", true, true);
  require_flag(c, "use_cla", false, false);
  require_number(c, "num_experts", 1);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_hunyuan_dense;
const HfFamily hf_family_hunyuan_dense{.classes = kClasses,
                                       .arch = "hunyuan-dense",
                                       .describe = describe,
                                       .tensors = {kOuter, kPreNorms, kAttention, kNorms, kGatedFfn}};

}  // namespace skald
