#include "convert/requirements.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

const char* text(bool value) { return value ? "true" : "false"; }

std::string_view first(const ConfigKeys& keys) { return keys.spellings().front(); }

void require_period(const HfConfig& c, const ConfigKeys& keys, int64_t period) {
  if (const int64_t given = c.i64(keys, period); given != period)
    fail(Errc::kUnsupported, "config.json: {}: {} is not supported for this architecture, only {}", first(keys), given,
         period);
}

void require_kinds(const std::vector<std::string>& kinds, std::initializer_list<std::string_view> known) {
  for (const std::string& kind : kinds)
    if (std::ranges::find(known, kind) == known.end())
      fail(Errc::kUnsupported, "config.json: layer_types: {} is not supported for this architecture", skald::quoted(kind));
}

bool is_last(size_t layer, int64_t period) { return (static_cast<int64_t>(layer) + 1) % period == 0; }

}  // namespace

void require_flag(const HfConfig& c, const ConfigKeys& keys, bool wanted, bool fallback) {
  if (c.flag(keys, fallback) != wanted)
    fail(Errc::kUnsupported, "config.json: {}: {} is not supported for this architecture, only {}", first(keys),
         text(!wanted), text(wanted));
}

void require_number(const HfConfig& c, const ConfigKeys& keys, float wanted) {
  if (const float given = c.f32(keys, wanted); given != wanted)
    fail(Errc::kUnsupported, "config.json: {}: {} is not supported for this architecture, only {}", first(keys), given,
         wanted);
}

void require_absent(const HfConfig& c, const char* key) {
  if (c.has(key)) fail(Errc::kUnsupported, "config.json: {} is not supported for this architecture", key);
}

void require_word(const HfConfig& c, const ConfigKeys& keys, std::span<const std::string_view> wanted) {
  const std::string given = c.str(keys, wanted.front());
  if (std::ranges::find(wanted, given) == wanted.end())
    fail(Errc::kUnsupported, "config.json: {}: {} is not supported for this architecture, only {}", first(keys),
         skald::quoted(given), fmt::join(wanted, ", "));
}

void require_full_attention_every(const HfConfig& c, int64_t period) {
  require_period(c, {"sliding_window_pattern", "_sliding_window_pattern", "layer_switch"}, period);
  const std::vector<std::string> kinds = c.strings("layer_types");
  require_kinds(kinds, {"full_attention", "sliding_attention", "chunked_attention"});
  for (size_t i = 0; i < kinds.size(); ++i)
    if ((kinds[i] == "full_attention") != is_last(i, period))
      fail(Errc::kUnsupported,
           "config.json: layer_types: want full_attention in the last of each {} layers only, layer {} has {}", period, i,
           skald::quoted(kinds[i]));
}

void require_no_rope_every(const HfConfig& c, int64_t period) {
  require_period(c, "no_rope_layer_interval", period);
  if (!c.has("no_rope_layers")) return;
  const std::vector<float> has_rope = c.floats("no_rope_layers");  // 1 for a layer with RoPE, unlike the name
  for (size_t i = 0; i < has_rope.size(); ++i)
    if ((has_rope[i] == 0) != is_last(i, period))
      fail(Errc::kUnsupported, "config.json: no_rope_layers: want 0 for the last of each {} layers only, layer {} has {}",
           period, i, has_rope[i]);
}

void require_whole_rope(const HfConfig& c) {
  const HfConfig newer = c.object("rope_parameters").value_or(c);
  for (const HfConfig& at : {c, c.object("rope_scaling").value_or(c), newer, newer.object("full_attention").value_or(c),
                             newer.object("sliding_attention").value_or(c)})
    for (const char* key : {"partial_rotary_factor", "rotary_pct", "rope_pct", "rope_percent"}) require_number(at, key, 1);
}

void require_causal(const HfConfig& c) {
  require_flag(c, "is_causal", true, true);
  require_flag(c, "use_bidirectional_attention", false, false);
}

void require_experts_everywhere(const HfConfig& c) {
  require_number(c, "decoder_sparse_step", 1);
  if (c.has("mlp_only_layers") && !c.floats("mlp_only_layers").empty())
    fail(Errc::kUnsupported, "config.json: mlp_only_layers: layers without experts are not supported for this architecture");
}

void require_experts_in_every(const HfConfig& c, int64_t period) {
  if (!c.has("moe_layers") || period <= 0) return;
  const std::vector<float> layers = c.floats("moe_layers");
  bool same = static_cast<int64_t>(layers.size()) == c.n_layers() / period;
  for (size_t i = 0; i < layers.size(); ++i)
    same = same && layers[i] == static_cast<float>((i + 1) * static_cast<size_t>(period) - 1);
  if (!same)
    fail(Errc::kUnsupported, "config.json: moe_layers: want the last of each {} layers (interleave_moe_layer_step)", period);
}

void require_no_window(const HfConfig& c) {
  const bool has_window = c.flag("use_sliding_window", false) && c.has("sliding_window");
  c.pass_over("sliding_window");
  c.pass_over("max_window_layers");
  const std::vector<std::string> kinds = c.strings("layer_types");  // where there are none, max_window_layers makes them
  require_kinds(kinds, {"full_attention", "sliding_attention"});
  const bool used = kinds.empty() ? c.i64("max_window_layers", 0) < c.n_layers()  // those from there on have one
                                  : std::ranges::find(kinds, "sliding_attention") != kinds.end();
  if (has_window && used)
    fail(Errc::kUnsupported, "config.json: use_sliding_window: true is not supported for this architecture, only false");
}

}  // namespace skald
