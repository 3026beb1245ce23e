#include "convert/layer_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr std::string_view kWindowKind = "sliding_attention";
constexpr std::string_view kAttentionKinds[] = {"full_attention", kWindowKind};
constexpr std::string_view kFfnKinds[] = {"dense", "sparse"};

// Layer i has a window where letter i of the pattern, which is repeated, is L; the last layer never has one.
std::vector<bool> by_letters(const std::string& letters, int64_t n_layers) {
  if (letters.empty() || letters.find_first_not_of("LG") != letters.npos)
    fail(Errc::kUnsupported, "config.json: sliding_window_pattern: want letters L and G, file has {}",
         skald::quoted(letters));
  std::vector<bool> out;
  for (int64_t i = 0; i < n_layers; ++i)
    out.push_back(i + 1 < n_layers && letters[static_cast<size_t>(i) % letters.size()] == 'L');
  return out;
}

}  // namespace

std::vector<std::string> layer_kinds(const HfConfig& c, std::span<const std::string_view> known, const ConfigKeys& key) {
  std::vector<std::string> kinds = c.strings(key);
  const std::string_view name = key.spellings().front();
  if (!kinds.empty() && std::ssize(kinds) != c.n_layers())
    fail(Errc::kBadFile, "config.json: {}: {} layers, file has {}", name, c.n_layers(), kinds.size());
  for (const std::string& kind : kinds)
    if (std::ranges::find(known, kind) == known.end())
      fail(Errc::kUnsupported, "config.json: {}: {} is not supported for this architecture", name, skald::quoted(kind));
  return kinds;
}

std::vector<bool> layers_that_are(const std::vector<std::string>& kinds, std::string_view kind) {
  std::vector<bool> out;
  for (const std::string& k : kinds) out.push_back(k == kind);
  return out;
}

std::vector<bool> window_layers(const HfConfig& c, int64_t period) {
  const ConfigKeys kPattern{"sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers"};
  const std::vector<std::string> kinds = layer_kinds(c, kAttentionKinds);
  if (!kinds.empty()) {
    c.pass_over(kPattern);
    return layers_that_are(kinds, kWindowKind);
  }
  if (c.is_string(kPattern)) return by_letters(c.str(kPattern, ""), c.n_layers());
  period = c.i64(kPattern, period);
  std::vector<bool> out;
  for (int64_t i = 1; i <= c.n_layers(); ++i) out.push_back(period != 0 && i % period != 0);
  return out;
}

bool has_window(const HfConfig& c) { return c.flag("use_sliding_window", true) && c.i64("sliding_window", 0) != 0; }

void window_keys(const HfConfig& c, Hyperparameters& out, std::vector<bool> layers) {
  const bool there = has_window(c);
  if (!there) layers.assign(layers.size(), false);
  out.size("attention.sliding_window", there ? c.i64("sliding_window") : 0);
  out.flags("attention.sliding_window_pattern", std::move(layers));
}

std::vector<int64_t> where(const std::vector<bool>& layers, int64_t number) {
  std::vector<int64_t> out;
  for (const bool there : layers) out.push_back(there ? number : 0);
  return out;
}

int64_t dense_layers(const HfConfig& c, int64_t usual) {
  const int64_t said = c.i64({"first_k_dense_replace", "num_dense_layers", "first_last_k_dense_replace"}, usual);
  const std::vector<std::string> kinds = layer_kinds(c, kFfnKinds, "mlp_layer_types");
  if (kinds.empty()) return said;
  const auto first = std::ranges::find(kinds, "sparse");
  if (std::find(first, kinds.end(), "dense") != kinds.end())
    fail(Errc::kUnsupported, "config.json: mlp_layer_types: dense layers after others are not supported");
  return first - kinds.begin();
}

void note_layers_ahead(const HfConfig& c, Hyperparameters& out) { note_layers_ahead(c, out, c.n_layers()); }

void note_layers_ahead(const HfConfig& c, Hyperparameters& out, int64_t first) {
  constexpr int64_t kMost = 16;  // published models have up to three
  const int64_t said = c.i64({"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules", "num_mtp_layers"}, 0);
  const int64_t n = std::min(said, kMost);
  std::vector<std::string> patterns = {"mtp.*", "model.mtp*"};
  for (int64_t i = 0; i < n; ++i) patterns.push_back(fmt::format("*model.layers.{}.*", first + i));
  out.note_layers_ahead(n, std::move(patterns));
}

}  // namespace skald
