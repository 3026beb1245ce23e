// MPT, in MosaicML's own form and that of transformers.
#include "base/error.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kMptClasses[] = {"MPTForCausalLM", "MptForCausalLM"};

constexpr TensorRule kMptTensors[] = {
    {"token_embd", "transformer.wte"},
    {"output_norm", "transformer.norm_f"},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "transformer.blocks.#.norm_1"},
    {"blk.#.attn_qkv", "transformer.blocks.#.attn.Wqkv"},
    {"blk.#.attn_output", "transformer.blocks.#.attn.out_proj"},
    {"blk.#.ffn_norm", "transformer.blocks.#.norm_2"},
    {"blk.#.ffn_up", "transformer.blocks.#.ffn.up_proj"},
    {"blk.#.ffn_down", "transformer.blocks.#.ffn.down_proj"},
};

constexpr std::string_view kLayerNorm[] = {"low_precision_layernorm", "layernorm"};

int64_t kv_heads(const HfConfig& c, const HfConfig& attention) {
  return attention.i64("kv_n_heads", attention.str("attn_type", "") == "multiquery_attention" ? 1 : c.n_heads());
}

void describe_mpt(const HfConfig& c, Hyperparameters& out) {
  const HfConfig attention = c.object("attn_config").value_or(c);
  require_flag(attention, "alibi", true, true);
  require_flag(attention, "rope", false, false);
  for (const HfConfig& config : {c, attention})
    for (const char* key : {"logit_scale", "softmax_scale"})
      if (config.has(key)) fail(Errc::kUnsupported, "config.json: {} is not supported for this architecture", key);
  require_word(c, "norm_type", kLayerNorm);
  require_flag(attention, "qk_ln", false, false);
  require_flag(attention, "prefix_lm", false, false);
  require_flag(attention, "attn_uses_sequence_id", false, false);
  decoder_keys(c, out, kLayerNormEps);
  const float d_model = static_cast<float>(c.d_model()), expansion = c.f32("expansion_ratio", 4);
  out.size("feed_forward_length", static_cast<int64_t>(d_model * expansion));
  out.size("attention.head_count_kv", kv_heads(c, attention));
  out.number("attention.max_alibi_bias", attention.f32("alibi_bias_max", 8));
  if (attention.has("clip_qkv")) out.number("attention.clamp_kqv", attention.f32("clip_qkv"));
}

}  // namespace

extern const HfFamily hf_family_mpt;
const HfFamily hf_family_mpt{.classes = kMptClasses,
                             .arch = "mpt",
                             .describe = describe_mpt,
                             .tensors = {kMptTensors},
                             .defaults = R"({"tie_word_embeddings": true, "norm_eps": 1e-5})",
                             .activations = {}};

}  // namespace skald
