// Hyperparameters that decoder families share, read from metadata once and checked.
#pragma once

#include <optional>
#include <vector>

#include "base/meta.h"
#include "graph/net.h"

namespace skald {

/// The key of the norms' epsilon, which says which norm a family has.
inline constexpr std::string_view kRmsNormEps = "attention.layer_norm_rms_epsilon";
inline constexpr std::string_view kLayerNormEps = "attention.layer_norm_epsilon";

struct DecoderParams {
  int64_t n_layers, d_model, d_ff;
  int64_t n_heads, n_kv_heads, d_k, d_v;
  float eps;           // of the norms
  int64_t window = 0;  // of sliding attention in all layers, 0: none; families that have one read it
  std::optional<LogTemperature> temperature = {};  // of queries, likewise
};

/// The sliding windows of a family whose layers differ.
struct LayerWindows {
  int64_t size;             // in keys
  std::vector<bool> local;  // layers that have it; the others see all keys

  /// Layers that predict tokens further on are as the first ones.
  bool in(int64_t layer) const { return local[static_cast<size_t>(layer) % local.size()]; }
  KeyWindow of(int64_t layer) const { return in(layer) ? KeyWindow{size} : KeyWindow{}; }
};

/// Layers, without those that predict tokens further on. Throws kNotFound or kBadFile naming the key.
int64_t read_layer_count(const MetaView& m);

/// Layers that predict tokens further on (nextn_predict_layers), which lie after the others, are not counted. Throws
/// kNotFound or kBadFile naming the key.
DecoderParams read_decoder(const MetaView& m, std::string_view eps_key = kRmsNormEps);

/// Likewise for each layer, where head counts and widths of the feed-forward may differ: arrays of attention.head_count,
/// attention.head_count_kv and feed_forward_length, which may be 0 in layers that have none.
std::vector<DecoderParams> read_decoder_layers(const MetaView& m, std::string_view eps_key = kRmsNormEps);

/// Reads a number for each layer: the key's array (without layers that read_decoder() does not count), or its one number for
/// all. Throws kNotFound or kBadFile naming the key.
std::vector<int64_t> read_layer_numbers(const MetaView& m, std::string_view key, int64_t n_layers, int64_t low,
                                        int64_t high);

/// For families whose windows are optional: no layer has one.
LayerWindows no_windows(int64_t n_layers);

/// Reads the key attention.sliding_window; 0 where there is none. Throws kBadFile for a negative size.
int64_t read_window(const MetaView& m);

/// Reads the windows of layers: the key attention.sliding_window_pattern, a flag per layer or a number N. Layer i has the
/// window where i mod N < N - 1; N is `period` without the key. `usual`: the size without attention.sliding_window; without
/// either, throws kNotFound naming it. `full_first`: with a number N, layer i has the window where i mod N > 0.
LayerWindows read_windows(const MetaView& m, int64_t n_layers, int64_t period, std::optional<int64_t> usual = {},
                          bool full_first = false);

/// Reads a flag per layer; those of layers that read_decoder() does not count are dropped. Throws kBadFile naming the key
/// for another number of them.
std::vector<bool> read_layer_flags(const MetaView& m, std::string_view key, int64_t n_layers);

/// Returns how queries grow with their position: the keys attention.temperature_scale and attention.temperature_length;
/// nullopt where there is no scale. `usual`: the length where there is no key for it; without either, throws kNotFound
/// naming it.
std::optional<LogTemperature> read_temperature(const MetaView& m, std::optional<int64_t> usual = {});

/// Reads a factor, cap or the like. Throws kBadFile naming the key unless it is a positive number of a size that models
/// have.
float read_positive(const MetaView& m, std::string_view key, float fallback);
/// Likewise for a key that the family cannot do without: throws kNotFound naming it.
float read_positive(const MetaView& m, std::string_view key);

/// Likewise for any number of such a size.
float read_finite(const MetaView& m, std::string_view key, float fallback);

/// Reads the addend of a norm's squares. Throws kBadFile naming the key unless it is above 0 and below 1.
float read_epsilon(const MetaView& m, std::string_view key);

/// Reads the key "activation": relu, gelu (by the error function) or gelu_tanh; `usual` where there is none. llama.cpp has
/// no such key.
Activation read_activation(const MetaView& m, Activation usual);

/// Reads the rotary embedding that the rope.* keys and rope_* tensors describe, for heads of `d_k`.
RopeSpec read_rope(Net& net, const MetaView& m, int64_t d_k, RopePairs pairs);

/// Returns the rotary embedding of layers with a window: as `rope`, with the base rope.freq_base_swa where the file has it.
RopeSpec local_rope(const MetaView& m, const RopeSpec& rope);
/// Likewise, but never scaled; `theta` is the base where the file has none.
RopeSpec unscaled_local_rope(const MetaView& m, const RopeSpec& rope, float theta);

/// Returns the divisor of YaRN's magnitude where the key rope.scaling.yarn_log_multiplier says that whole heads are scaled
/// instead of the rotated values: 1 + multiplier / 10 * ln(factor).
float yarn_magnitude(const MetaView& m, const RopeTable& table);

/// Grouped-query attention with the usual 1/sqrt(d_k), and the window of all layers or this one.
Attention attention_of(const DecoderParams& p);
Attention attention_of(const DecoderParams& p, KeyWindow window);

}  // namespace skald
