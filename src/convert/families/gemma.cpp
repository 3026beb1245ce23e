// Gemma.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kGemmaClasses[] = {"GemmaForCausalLM"};

constexpr TensorRule kGemmaNorms[] = {
    {"output_norm", "model.norm", plus_one},
    {"blk.#.attn_norm", "model.layers.#.input_layernorm", plus_one},
    {"blk.#.ffn_norm", "model.layers.#.post_attention_layernorm", plus_one},
};

// "gelu" of the first releases means the form by tanh too, as transformers takes it.
constexpr std::string_view kGelus[] = {"gelu_pytorch_tanh", "gelu", "gelu_new", "gelu_fast", "gelu_python_tanh"};

void describe_gemma(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_gemma;
const HfFamily hf_family_gemma{.classes = kGemmaClasses,
                               .arch = "gemma",
                               .describe = describe_gemma,
                               .tensors = {kGemmaNorms, kOuter, kAttention, kGatedFfn},
                               .defaults = R"({"head_dim": 256, "tie_word_embeddings": true})",
                               .activations = kGelus};

}  // namespace skald
