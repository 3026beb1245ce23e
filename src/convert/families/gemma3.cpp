// Gemma 3, and the language model of those that take pictures.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kGemma3Classes[] = {"Gemma3ForCausalLM", "Gemma3ForConditionalGeneration"};

constexpr TensorRule kGemma3ShiftedHeadNorms[] = {
    {"blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm", plus_one},
    {"blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm", plus_one},
};

// Those that take pictures say of their language model only the differences from this.
constexpr std::string_view kGemma3Defaults = R"({"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
    "max_position_embeddings": 131072, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "rope_local_base_freq": 1e4,
    "sliding_window": 4096, "query_pre_attn_scalar": 256, "tie_word_embeddings": true})";

void describe_gemma3(const HfConfig& c, Hyperparameters& out) {
  require_full_attention_every(c, 6);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head(), {.layer_kind = "full_attention"});
  local_rope_keys(c, out, c.d_head());
  window_key(c, out);
  query_scale_key(c, out, 62);
  if (c.has("final_logit_softcapping")) out.number("final_logit_softcapping", c.f32("final_logit_softcapping"));
}

}  // namespace

extern const HfFamily hf_family_gemma3;
const HfFamily hf_family_gemma3{.classes = kGemma3Classes,
                                .arch = "gemma3",
                                .describe = describe_gemma3,
                                .tensors = {kShiftedSandwichNorms, kGemma3ShiftedHeadNorms, kOuter, kAttention, kGatedFfn},
                                .defaults = kGemma3Defaults,
                                .activations = kGeluTanh};

}  // namespace skald
