#include "convert/deepseek_parts.h"

#include <optional>

#include "base/error.h"
#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"

namespace skald {
namespace {

// [head][rows for its keys, rows for its values]: (heads, d, rank).
StoredView by_heads(const StoredView& in, const MetaView& m) {
  return in.split(0, {m.in_range("attention.head_count", 1, 65536), 0});
}
int64_t d_value(const MetaView& m) { return m.i64("attention.value_length_mla"); }

void attention_keys(const HfConfig& c, Hyperparameters& out) {
  const int64_t rank = c.i64("kv_lora_rank"), d_rope = c.i64("qk_rope_head_dim");
  rope_keys(c, out, d_rope, {.yarn_magnitude = false});
  if (c.has("q_lora_rank")) out.size("attention.q_lora_rank", c.i64("q_lora_rank"));
  out.size("attention.kv_lora_rank", rank);
  // All heads share one key and value, of which these are the sizes; those of heads have keys of their own.
  out.size("attention.head_count_kv", 1);
  out.size("attention.key_length", rank + d_rope);
  out.size("attention.value_length", rank);
  out.size("attention.key_length_mla", c.i64("qk_nope_head_dim") + d_rope);
  out.size("attention.value_length_mla", c.i64("v_head_dim"));
  const std::optional<HfConfig> scaling = c.object({"rope_scaling", "rope_parameters"});
  if (!scaling || scaling->str({"rope_type", "type"}, "default") != "yarn") return;
  // YaRN's factor of scores; rotated values are not scaled, as the quotient of the two is 1.
  const float sharpen = scaling->f32("mscale_all_dim", 0);
  if (const float mscale = scaling->f32("mscale", 1); mscale != sharpen)
    fail(Errc::kUnsupported, "config.json: mscale: {} is not supported, only that of mscale_all_dim, {}", mscale, sharpen);
  out.number("rope.scaling.yarn_log_multiplier", 0.1f * sharpen);
}

void groups_and_weights(const HfConfig& c, Hyperparameters& out) {
  const bool old = c.str("model_type", "") == "deepseek_v2";
  routing_keys(c, out, {.sigmoid = !old, .normalised = !old});
  if (c.str("topk_method", "") != "greedy" || !c.has("n_group")) return;  // it does not look at groups
  out.size("expert_group_count", 1);
  out.size("expert_group_used_count", 1);
}

}  // namespace

LazyTensor latent_keys(const StoredView& in, const MetaView& m) {
  const StoredView heads = by_heads(in, m);
  return LazyTensor::of(heads.take(1, 0, heads.dim(1) - d_value(m)).swap(1, 2));
}
LazyTensor latent_values(const StoredView& in, const MetaView& m) {
  const StoredView heads = by_heads(in, m);
  return LazyTensor::of(heads.take(1, heads.dim(1) - d_value(m), d_value(m)));
}

void deepseek_keys(const HfConfig& c, Hyperparameters& out) {
  require_number(c, "moe_layer_freq", 1);
  require_flag(c, "rope_interleave", true, true);
  require_number(c, "num_key_value_heads", static_cast<float>(c.n_heads()));
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  attention_keys(c, out);
  expert_keys(c, out);
  shared_expert_keys(c, out, c.i64("moe_intermediate_size"));
  out.size("leading_dense_block_count", dense_layers(c, 0));
  groups_and_weights(c, out);
  note_layers_ahead(c, out);
}

void indexer_keys(const HfConfig& c, Hyperparameters& out) {
  constexpr std::string_view kKinds[] = {"indexed_attention"};
  layer_kinds(c, kKinds);
  out.size("attention.indexer.head_count", c.i64("index_n_heads"));
  out.size("attention.indexer.key_length", c.i64("index_head_dim"));
  out.size("attention.indexer.top_k", c.i64("index_topk"));
}

}  // namespace skald
