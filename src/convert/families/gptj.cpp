// GPT-J.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"GPTJForCausalLM"};

constexpr TensorRule kBlocks[] = {
    {"blk.#.attn_q", "transformer.h.#.attn.q_proj"}, {"blk.#.attn_k", "transformer.h.#.attn.k_proj"},
    {"blk.#.attn_v", "transformer.h.#.attn.v_proj"}, {"blk.#.attn_output", "transformer.h.#.attn.out_proj"},
    {"blk.#.ffn_up", "transformer.h.#.mlp.fc_in"},   {"blk.#.ffn_down", "transformer.h.#.mlp.fc_out"},
};

void describe(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "activation_function", kGeluTanh);
  decoder_keys(c, out, kLayerNormEps);
  out.size("rope.dimension_count", c.i64("rotary_dim", 64));
  out.number("rope.freq_base", 10000);
  out.flag("use_parallel_residual", true);
}

}  // namespace

extern const HfFamily hf_family_gptj;
const HfFamily hf_family_gptj{.classes = kClasses,
                              .arch = "gptj",
                              .describe = describe,
                              .tensors = {kGpt2Outer, kBlocks},
                              .defaults = R"({"layer_norm_epsilon": 1e-5})",
                              .activations = kGeluTanh};

}  // namespace skald
