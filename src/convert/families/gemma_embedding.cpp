// EmbeddingGemma: Gemma 3 that reads in both directions.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kGemmaEmbeddingClasses[] = {"Gemma3TextModel"};

bool is_gemma_embedding(const HfConfig& c) { return c.flag("use_bidirectional_attention", false); }

constexpr TensorRule kGemmaEmbeddingShiftedHeadNorms[] = {
    {"blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm", plus_one},
    {"blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm", plus_one},
};

void describe_gemma_embedding(const HfConfig& c, Hyperparameters& out) {
  require_full_attention_every(c, 6);
  decoder_keys(c, out);
  require_number(c, "query_pre_attn_scalar", static_cast<float>(c.d_head()));
  rope_keys(c, out, c.d_head(), {.layer_kind = "full_attention"});
  local_rope_keys(c, out, c.d_head());
  window_key(c, out);
}

}  // namespace

extern const HfFamily hf_family_gemma_embedding;
const HfFamily hf_family_gemma_embedding{
    .classes = kGemmaEmbeddingClasses,
    .arch = "gemma-embedding",
    .describe = describe_gemma_embedding,
    .tensors = {kShiftedSandwichNorms, kGemmaEmbeddingShiftedHeadNorms, kOuter, kAttention, kGatedFfn},
    .defaults = R"({"rope_theta": 1e6, "rms_norm_eps": 1e-6, "tie_word_embeddings": true})",
    .is_it = is_gemma_embedding,
    .activations = kGeluTanh,
    .encoder = true};

}  // namespace skald
