// North Mini Code: Command A with experts.
#include <algorithm>

#include "convert/expert_keys.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kCohere2moeClasses[] = {"Cohere2MoeForCausalLM"};

constexpr TensorRule kCohere2moeNorm[] = {
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
};

constexpr std::string_view kMean[] = {"average"};

// Dense layers in front have a pattern of their own, by which they see all keys.
std::vector<bool> windows(const HfConfig& c, int64_t n_dense) {
  require_number(c, "prefix_dense_sliding_window_pattern", 1);
  if (c.has("layer_types")) return window_layers(c, 4);
  const int64_t period = std::max<int64_t>(c.i64("sliding_window_pattern", 4), 1);
  std::vector<bool> out;
  for (int64_t i = 0; i < c.n_layers(); ++i) out.push_back(i >= n_dense && (i - n_dense + 1) % period != 0);
  return out;
}

void describe_cohere2moe(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "shared_expert_combination_strategy", kMean);
  const int64_t n_dense = dense_layers(c, 0);
  decoder_keys(c, out, c.has("rms_norm_eps") ? kRmsNormEps : kLayerNormEps);
  out.size("vocab_size", c.i64("vocab_size"));
  if (c.has("prefix_dense_intermediate_size")) out.size("feed_forward_length", c.i64("prefix_dense_intermediate_size"));
  rope_keys(c, out, c.d_head());
  window_keys(c, out, windows(c, n_dense));
  out.number("logit_scale", c.f32("logit_scale", 0.0625f));
  expert_keys(c, out);
  out.size("expert_feed_forward_length", c.d_ff());
  shared_expert_keys(c, out, c.d_ff());
  out.size("leading_dense_block_count", n_dense);
  routing_keys(c, out, {.sigmoid = false});
  // A softmax over the chosen ones equals one over all of them that is normalised.
  if (c.str("expert_selection_fn", "softmax") == "softmax") out.flag("expert_weights_norm", true);
  note_layers_ahead(c, out);
}

}  // namespace

extern const HfFamily hf_family_cohere2moe;
const HfFamily hf_family_cohere2moe{.classes = kCohere2moeClasses,
                                    .arch = "cohere2moe",
                                    .describe = describe_cohere2moe,
                                    .tensors = {kOuter, kCohere2moeNorm, kAttention, kGatedFfn, kExperts, kSharedExperts},
                                    .defaults = R"({"tie_word_embeddings": true, "head_dim": 128})"};

}  // namespace skald
