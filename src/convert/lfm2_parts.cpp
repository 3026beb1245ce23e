#include "convert/lfm2_parts.h"

#include <algorithm>

#include "base/error.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"

namespace skald {
namespace {

constexpr std::string_view kLfm2Kinds[] = {"conv", "full_attention", "short_conv"};

// A word for each layer, or the numbers of those with attention.
std::vector<bool> attention_layers(const HfConfig& c) {
  constexpr const char* kNumbers = "full_attn_idxs";
  const std::vector<std::string> kinds = layer_kinds(c, kLfm2Kinds);
  if (!kinds.empty()) {
    c.pass_over(kNumbers);
    return layers_that_are(kinds, "full_attention");
  }
  std::vector<bool> out(static_cast<size_t>(c.n_layers()), !c.has(kNumbers));
  if (!c.has(kNumbers)) return out;
  for (const int64_t i : c.sizes(kNumbers)) {
    if (i >= std::ssize(out)) fail(Errc::kBadFile, "config.json: {}: there is no layer {}", kNumbers, i);
    out[static_cast<size_t>(i)] = true;
  }
  return out;
}

// The number of some configurations is cut to two thirds, and made a multiple.
int64_t feed_forward_length(const HfConfig& c) {
  const auto d = static_cast<double>(c.i64({"block_ff_dim", "intermediate_size"}));
  const float factor = c.f32("block_ffn_dim_multiplier", 1);
  const int64_t multiple = std::max<int64_t>(c.i64("block_multiple_of", 256), 1);
  if (!c.flag("block_auto_adjust_ff_dim", false)) return static_cast<int64_t>(d);
  const auto cut = static_cast<int64_t>(factor * static_cast<double>(static_cast<int64_t>(2 * d / 3)));
  return (cut + multiple - 1) / multiple * multiple;
}

}  // namespace

void lfm2_keys(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "conv_bias", false, false);
  decoder_keys(c, out);
  out.number(kRmsNormEps, c.f32({"norm_eps", "block_norm_eps", "rms_norm_eps"}, 1e-5f));
  out.size("feed_forward_length", feed_forward_length(c));
  out.sizes("attention.head_count_kv", where(attention_layers(c), c.n_kv_heads()));
  out.size("vocab_size", c.i64("vocab_size"));
  out.size("shortconv.l_cache", c.i64("conv_L_cache", 3));
  rope_keys(c, out, c.d_head());
}

}  // namespace skald
