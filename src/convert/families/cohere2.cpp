// Command R7B, Command A.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kCohere2Classes[] = {"Cohere2ForCausalLM"};

constexpr TensorRule kCohere2Norm[] = {
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
};

constexpr std::string_view kWindowsFirst[] = {"local_attn_first"};
constexpr std::string_view kNeighboursTurned[] = {"rope_gptj"};

void describe_cohere2(const HfConfig& c, Hyperparameters& out) {
  require_full_attention_every(c, 4);
  require_word(c, "order_of_interleaved_layers", kWindowsFirst);
  require_word(c, "position_embedding_type", kNeighboursTurned);
  for (const char* key : {"use_embedding_sharing", "use_gated_activation", "use_parallel_block"})
    require_flag(c, key, true, true);
  decoder_keys(c, out, kLayerNormEps);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
  window_key(c, out);
  out.number("logit_scale", c.f32("logit_scale", 0.0625f));
}

}  // namespace

extern const HfFamily hf_family_cohere2;
const HfFamily hf_family_cohere2{.classes = kCohere2Classes,
                                 .arch = "cohere2",
                                 .describe = describe_cohere2,
                                 .tensors = {kOuter, kCohere2Norm, kAttention, kGatedFfn},
                                 .defaults = R"({"tie_word_embeddings": true})"};

}  // namespace skald
