// Llama, Mistral, Mixtral, and what transformers builds like them.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"LlamaForCausalLM",   "LLaMAForCausalLM",   "LlamaModel",
                                         "MistralForCausalLM", "MixtralForCausalLM", "Mistral3ForConditionalGeneration"};

constexpr TensorRule kMixtral[] = {
    {"blk.#.ffn_gate_inp", "model.layers.#.block_sparse_moe.gate"},
    {"blk.#.ffn_gate_exps.weight", "model.layers.#.block_sparse_moe.experts.@.w1.weight"},
    {"blk.#.ffn_up_exps.weight", "model.layers.#.block_sparse_moe.experts.@.w3.weight"},
    {"blk.#.ffn_down_exps.weight", "model.layers.#.block_sparse_moe.experts.@.w2.weight"},
};

void describe(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
  window_key(c, out);
  if (c.i64({"num_local_experts", "num_experts"}, 0)) expert_keys(c, out);
}

}  // namespace

extern const HfFamily hf_family_llama;
const HfFamily hf_family_llama{.classes = kClasses,
                               .arch = "llama",
                               .describe = describe,
                               .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGatedFfn, kMixtral, kExperts}};

}  // namespace skald
