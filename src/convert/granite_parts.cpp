#include "convert/granite_parts.h"

#include <algorithm>

#include "base/error.h"
#include "convert/expert_keys.h"
#include "convert/mamba_keys.h"
#include "convert/requirements.h"

namespace skald {
namespace {

constexpr std::string_view kGraniteKinds[] = {"attention", "mamba", "full_attention", "linear_attention"};

}  // namespace

void granite_keys(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
  out.number("embedding_scale", c.f32("embedding_multiplier", 1));
  out.number("residual_scale", c.f32("residual_multiplier", 1));
  out.number("attention.scale", c.f32("attention_multiplier", 1));
  out.number("logit_scale", c.f32("logits_scaling", 1));
}

std::vector<bool> granite_attention_layers(const HfConfig& c) {
  std::vector<bool> out;
  for (const std::string& kind : layer_kinds(c, kGraniteKinds, {"layer_types", "layers_block_type"}))
    out.push_back(kind == "attention" || kind == "full_attention");
  if (out.empty()) out.assign(static_cast<size_t>(c.n_layers()), false);  // as transformers takes it
  return out;
}

bool has_granite_mamba(const HfConfig& c) {
  const std::vector<bool> attention = granite_attention_layers(c);
  return std::ranges::find(attention, false) != attention.end();
}

bool has_granite_experts(const HfConfig& c) { return c.i64("num_local_experts", 8) > 0; }

void granite_hybrid_keys(const HfConfig& c, Hyperparameters& out) {
  granite_keys(c, out);
  constexpr std::string_view kPositions[] = {"nope", "none", "rope"};
  require_word(c, "position_embedding_type", kPositions);
  const bool rotated = c.str("position_embedding_type", "nope") == "rope";
  const int64_t d_shared = c.i64("shared_intermediate_size", 1024);
  if (has_granite_mamba(c)) {
    out.sizes("attention.head_count_kv", where(granite_attention_layers(c), c.n_kv_heads()));
    mamba2_keys(c, out, /*expanded=*/true);
    out.flag("rope.scaling.finetuned", rotated);
  } else {  // readers of files without Mamba layers rotate always
    if (!rotated)
      fail(Errc::kUnsupported, "config.json: position_embedding_type: want rope where there are no Mamba layers");
    for (const char* key : {"mamba_n_heads", "mamba_d_head", "mamba_n_groups", "mamba_d_state", "mamba_d_conv",
                            "mamba_expand", "time_step_limit"})
      c.pass_over(key);
  }
  if (has_granite_experts(c)) {
    expert_keys(c, out);
    out.size("expert_shared_feed_forward_length", d_shared);
  } else {
    out.size("feed_forward_length", d_shared);
    c.pass_over("num_experts_per_tok");
  }
}

}  // namespace skald
