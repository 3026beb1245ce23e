// Hunyuan, dense.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kHunyuanDenseClasses[] = {"HunYuanDenseV1ForCausalLM"};

constexpr TensorRule kHunyuanDenseNorms[] = {
    {"blk.#.attn_q_norm", "model.layers.#.self_attn.query_layernorm"},
    {"blk.#.attn_k_norm", "model.layers.#.self_attn.key_layernorm"},
};

void describe_hunyuan_dense(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "use_qk_norm", true, true);
  require_flag(c, "use_cla", false, false);
  require_number(c, "num_experts", 1);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_hunyuan_dense;
const HfFamily hf_family_hunyuan_dense{.classes = kHunyuanDenseClasses,
                                       .arch = "hunyuan-dense",
                                       .describe = describe_hunyuan_dense,
                                       .tensors = {kOuter, kPreNorms, kAttention, kHunyuanDenseNorms, kGatedFfn}};

}  // namespace skald
