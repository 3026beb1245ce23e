// GPT-J.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kGptjClasses[] = {"GPTJForCausalLM"};

constexpr TensorRule kGptjBlocks[] = {
    {"blk.#.attn_q", "transformer.h.#.attn.q_proj"}, {"blk.#.attn_k", "transformer.h.#.attn.k_proj"},
    {"blk.#.attn_v", "transformer.h.#.attn.v_proj"}, {"blk.#.attn_output", "transformer.h.#.attn.out_proj"},
    {"blk.#.ffn_up", "transformer.h.#.mlp.fc_in"},   {"blk.#.ffn_down", "transformer.h.#.mlp.fc_out"},
};

void describe_gptj(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "activation_function", kGeluTanh);
  decoder_keys(c, out, kLayerNormEps);
  out.size("rope.dimension_count", c.i64("rotary_dim", 64));
  out.number("rope.freq_base", 10000);
  out.flag("use_parallel_residual", true);
}

}  // namespace

extern const HfFamily hf_family_gptj;
const HfFamily hf_family_gptj{.classes = kGptjClasses,
                              .arch = "gptj",
                              .describe = describe_gptj,
                              .tensors = {kGpt2Outer, kGptjBlocks},
                              .defaults = R"({"layer_norm_epsilon": 1e-5})",
                              .activations = kGeluTanh};

}  // namespace skald
