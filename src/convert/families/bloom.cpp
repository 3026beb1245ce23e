// BLOOM and BLOOMZ.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kBloomClasses[] = {"BloomForCausalLM", "BloomModel"};

constexpr TensorRule kEmbeddingNorm[] = {
    {"token_embd_norm", "transformer.word_embeddings_layernorm"},
};

void describe_bloom(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "apply_residual_connection_post_layernorm", false, false);
  decoder_keys(c, out, kLayerNormEps);
}

}  // namespace

extern const HfFamily hf_family_bloom;
const HfFamily hf_family_bloom{
    .classes = kBloomClasses,
    .arch = "bloom",
    .describe = describe_bloom,
    .tensors = {kBloom, kEmbeddingNorm},
    .defaults = R"({"tie_word_embeddings": true, "layer_norm_epsilon": 1e-5, "max_sequence_length": 2048})",
    .activations = {}};

}  // namespace skald
