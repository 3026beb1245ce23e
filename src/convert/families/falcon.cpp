// Falcon 7B, 40B, 180B, Falcon 2 11B, Falcon-RW; of the first also the forms before transformers had the class.
#include <cmath>

#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kFalconClasses[] = {"FalconForCausalLM", "RWForCausalLM"};

// The inputs of attention and feed-forward, where each has a norm.
constexpr TensorRule kTwoNorms[] = {
    {"blk.#.attn_norm", "transformer.h.#.ln_mlp"},
    {"blk.#.attn_norm_2", "transformer.h.#.ln_attn"},
};

// Groups of heads are told by the name that the first 40B had for their number, or by a flag, without which that number
// may be anything.
int64_t kv_heads(const HfConfig& c) {
  if (c.flag("new_decoder_architecture", c.has("n_head_kv"))) return c.i64({"num_kv_heads", "n_head_kv"}, c.n_heads());
  c.pass_over("num_kv_heads");
  return c.flag("multi_query", true) ? 1 : c.i64("num_kv_heads", c.n_heads());
}

void describe_falcon(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "activation", kGeluErf);
  require_flag(c, "apply_residual_connection_post_layernorm", false, false);
  decoder_keys(c, out, kLayerNormEps);
  out.size("attention.head_count_kv", kv_heads(c));
  out.flag("use_parallel_residual", c.flag("parallel_attn", true));
  if (!c.flag("alibi", false)) return rope_keys(c, out, c.d_head());
  out.number("attention.max_alibi_bias", 8);  // of scores that are divided by sqrt(d_head) afterwards
  out.number("attention.alibi_scale", 1 / std::sqrt(static_cast<float>(c.d_head())));
}

}  // namespace

extern const HfFamily hf_family_falcon;
const HfFamily hf_family_falcon{
    .classes = kFalconClasses,
    .arch = "falcon",
    .describe = describe_falcon,
    .tensors = {kBloom, kTwoNorms},
    .defaults = R"({"tie_word_embeddings": true, "layer_norm_epsilon": 1e-5, "max_position_embeddings": 2048})",
    .activations = {}};

}  // namespace skald
