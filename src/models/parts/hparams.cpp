#include "models/parts/hparams.h"

#include <cmath>
#include <limits>

#include "base/error.h"

namespace skald {
namespace {

constexpr std::string_view kWindow = "attention.sliding_window";
constexpr int64_t kMaxDim = int64_t{1} << 24;  // far above any model; keeps products of two dimensions in range
constexpr int64_t kMaxHeads = 65536;

int64_t dim_or(const MetaView& m, std::string_view key, int64_t fallback) {
  return m.has(key) ? m.in_range(key, 1, kMaxDim) : fallback;
}

RopeScaling scaling_of(const MetaView& m) {
  const bool by_factor = m.has("rope.scaling.factor") || m.has("rope.scale_linear");
  const std::string type = m.str("rope.scaling.type", by_factor ? "linear" : "none");
  if (type == "none" || type == "longrope") return RopeScaling::kNone;
  if (type == "linear") return RopeScaling::kLinear;
  if (type == "llama3") return RopeScaling::kLlama3;
  if (type == "yarn") return RopeScaling::kYarn;
  fail(Errc::kUnsupported, "key {}: RoPE scaling '{}' is not supported; known: none, linear, llama3, yarn, longrope",
       m.full("rope.scaling.type"), type);
}

// A table for all contexts, or LongRoPE's two (Ding et al., arXiv 2402.13753). Cached keys cannot be turned anew when a
// sequence outgrows the short one, so that the size of the context decides, as in llama.cpp.
Tensor divisors_of(Net& net, const RopeTable& t) {
  if (net.has_weight("rope_factors_long.weight")) {
    const Tensor lengthy = net.vector("rope_factors_long.weight", t.dims / 2);
    const Tensor brief = net.vector("rope_factors_short.weight", t.dims / 2);
    return static_cast<float>(net.max_keys()) > t.original_context ? lengthy : brief;
  }
  return net.has_weight("rope_freqs.weight") ? net.vector("rope_freqs.weight", t.dims / 2) : Tensor{};
}

DecoderParams read_sizes(const MetaView& m, std::string_view eps_key) {
  DecoderParams p{};
  p.n_layers = read_layer_count(m);
  p.d_model = m.in_range("embedding_length", 1, kMaxDim);
  p.eps = read_epsilon(m, eps_key);
  return p;
}

void read_head_sizes(const MetaView& m, DecoderParams& p) {
  if (!m.has("attention.key_length") && p.d_model % p.n_heads)
    fail(Errc::kBadFile, "key {}: {} does not divide over {} heads", m.full("embedding_length"), p.d_model, p.n_heads);
  p.d_k = dim_or(m, "attention.key_length", p.d_model / p.n_heads);
  p.d_v = dim_or(m, "attention.value_length", p.d_k);
}

}  // namespace

// No model is near these: numbers beyond them are damage.
constexpr float kLeast = 1e-15f, kMost = 1e15f;

float read_positive(const MetaView& m, std::string_view key) {
  const float value = m.f32(key);
  if (!(value >= kLeast && value <= kMost))
    fail(Errc::kBadFile, "key {}: want a positive number, {} to {}, file has {}", m.full(key), kLeast, kMost, value);
  return value;
}

float read_finite(const MetaView& m, std::string_view key, float fallback) {
  const float value = m.f32(key, fallback);
  if (!(value >= -kMost && value <= kMost))
    fail(Errc::kBadFile, "key {}: want a number, {} to {}, file has {}", m.full(key), -kMost, kMost, value);
  return value;
}

float read_epsilon(const MetaView& m, std::string_view key) {
  const float value = m.f32(key);
  if (!(value >= kLeast && value < 1))
    fail(Errc::kBadFile, "key {}: want a number above 0 and below 1, file has {}", m.full(key), value);
  return value;
}

float read_positive(const MetaView& m, std::string_view key, float fallback) {
  return m.has(key) ? read_positive(m, key) : fallback;
}

int64_t read_window(const MetaView& m) {
  return m.has(kWindow) ? m.in_range(kWindow, 0, std::numeric_limits<int32_t>::max()) : 0;
}

std::vector<bool> read_layer_flags(const MetaView& m, std::string_view key, int64_t n_layers) {
  std::vector<bool> flags = m.meta().flags(m.full(key));
  if (std::ssize(flags) != n_layers && std::ssize(flags) != m.i64("block_count"))
    fail(Errc::kBadFile, "key {}: {} layers, file has {}", m.full(key), n_layers, flags.size());
  flags.resize(static_cast<size_t>(n_layers));
  return flags;
}

LayerWindows read_windows(const MetaView& m, int64_t n_layers, int64_t period, std::optional<int64_t> usual,
                          bool full_first) {
  constexpr std::string_view kPattern = "attention.sliding_window_pattern";
  LayerWindows w{.size = usual && !m.has(kWindow) ? *usual : m.in_range(kWindow, 0, std::numeric_limits<int32_t>::max()),
                 .local = {}};
  const MetaValue* pattern = m.find(kPattern);
  if (pattern && std::holds_alternative<MetaArray>(*pattern)) {
    w.local = read_layer_flags(m, kPattern, n_layers);
    return w;
  }
  if (pattern) period = m.in_range(kPattern, 0, 10000);
  for (int64_t i = 0; i < n_layers; ++i)
    w.local.push_back(period == 0 || (full_first ? i % period > 0 : i % period < period - 1));
  return w;
}

LayerWindows no_windows(int64_t n_layers) { return {0, std::vector<bool>(static_cast<size_t>(n_layers))}; }

std::optional<LogTemperature> read_temperature(const MetaView& m, std::optional<int64_t> usual) {
  if (!m.has("attention.temperature_scale")) return {};
  const float scale = read_finite(m, "attention.temperature_scale", 0);
  if (scale < 0)
    fail(Errc::kBadFile, "key {}: want a number from 0 on, file has {}", m.full("attention.temperature_scale"), scale);
  constexpr std::string_view kLength = "attention.temperature_length";
  return LogTemperature{scale, usual && !m.has(kLength) ? *usual : m.in_range(kLength, 1, int64_t{1} << 40), 0};
}

Activation read_activation(const MetaView& m, Activation usual) {
  if (!m.has("activation")) return usual;
  const std::string name = m.str("activation", "");
  if (name == "relu") return Activation::kRelu;
  if (name == "gelu") return Activation::kGelu;
  if (name == "gelu_tanh") return Activation::kGeluTanh;
  fail(Errc::kUnsupported, "key {}: activation '{}' is not supported; known: relu, gelu, gelu_tanh", m.full("activation"),
       name);
}

std::vector<int64_t> read_layer_numbers(const MetaView& m, std::string_view key, int64_t n_layers, int64_t low,
                                        int64_t high) {
  const MetaValue* value = m.find(key);
  if (!value || !std::holds_alternative<MetaArray>(*value))
    return std::vector<int64_t>(static_cast<size_t>(n_layers), m.in_range(key, low, high));
  std::vector<int64_t> all = m.meta().ints(m.full(key));
  if (std::ssize(all) != n_layers && std::ssize(all) != m.i64("block_count"))
    fail(Errc::kBadFile, "key {}: {} layers, file has {}", m.full(key), n_layers, all.size());
  all.resize(static_cast<size_t>(n_layers));
  for (const int64_t n : all)
    if (n < low || n > high) fail(Errc::kBadFile, "key {}: want {} to {}, file has {}", m.full(key), low, high, n);
  return all;
}

int64_t read_layer_count(const MetaView& m) {
  const int64_t n = m.in_range("block_count", 1, 10000);
  return m.has("nextn_predict_layers") ? n - m.in_range("nextn_predict_layers", 0, n - 1) : n;
}

DecoderParams read_decoder(const MetaView& m, std::string_view eps_key) {
  DecoderParams p = read_sizes(m, eps_key);
  const bool experts_alone = !m.has("feed_forward_length") && m.has("expert_feed_forward_length");
  p.d_ff = m.in_range(experts_alone ? "expert_feed_forward_length" : "feed_forward_length", 1, kMaxDim);
  p.n_heads = m.in_range("attention.head_count", 1, kMaxHeads);
  p.n_kv_heads = m.has("attention.head_count_kv") ? m.in_range("attention.head_count_kv", 1, p.n_heads) : p.n_heads;
  read_head_sizes(m, p);
  return p;
}

std::vector<DecoderParams> read_decoder_layers(const MetaView& m, std::string_view eps_key) {
  const DecoderParams sizes = read_sizes(m, eps_key);
  const auto numbers = [&](std::string_view key, int64_t high) {
    return read_layer_numbers(m, key, sizes.n_layers, 0, high);
  };
  const std::vector<int64_t> d_ff = numbers("feed_forward_length", kMaxDim),
                             heads = numbers("attention.head_count", kMaxHeads),
                             kv_heads =
                                 m.has("attention.head_count_kv") ? numbers("attention.head_count_kv", kMaxHeads) : heads;
  std::vector<DecoderParams> out(d_ff.size(), sizes);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].d_ff = d_ff[i];
    out[i].n_heads = heads[i];
    out[i].n_kv_heads = kv_heads[i];
    if (kv_heads[i] > heads[i])
      fail(Errc::kBadFile, "key {}: {} for {} heads", m.full("attention.head_count_kv"), kv_heads[i], heads[i]);
    if (heads[i]) read_head_sizes(m, out[i]);
  }
  return out;
}

RopeSpec read_rope(Net& net, const MetaView& m, int64_t d_k, RopePairs pairs) {
  RopeSpec rope{.pairs = pairs};
  RopeTable& t = rope.table;
  t.dims = static_cast<int32_t>(m.has("rope.dimension_count") ? m.in_range("rope.dimension_count", 2, d_k) : d_k);
  t.theta = read_positive(m, "rope.freq_base", 10000.0f);
  t.scaling = scaling_of(m);
  t.factor = read_positive(m, "rope.scaling.factor", read_positive(m, "rope.scale_linear", 1.0f));
  t.original_context = read_positive(m, "rope.scaling.original_context_length", read_positive(m, "context_length", 4096.0f));
  t.magnitude = read_positive(m, "rope.scaling.attn_factor", 1.0f);
  if (t.scaling == RopeScaling::kLlama3) {
    t.low_freq_factor = read_positive(m, "rope.scaling.low_freq_factor", t.low_freq_factor);
    t.high_freq_factor = read_positive(m, "rope.scaling.high_freq_factor", t.high_freq_factor);
  }
  if (t.scaling == RopeScaling::kYarn) {
    t.whole_pairs = m.flag("rope.scaling.yarn_truncate", t.whole_pairs);
    t.beta_fast = read_positive(m, "rope.scaling.yarn_beta_fast", t.beta_fast);
    t.beta_slow = read_positive(m, "rope.scaling.yarn_beta_slow", t.beta_slow);
    t.ext_factor = read_finite(m, "rope.scaling.yarn_ext_factor", t.ext_factor);
    t.magnitude *= read_positive(m, "rope.scaling.yarn_attn_factor", 1.0f);
    if (t.ext_factor != 0 && t.factor > 1) t.magnitude *= 1.0f + 0.1f * std::log(t.factor);
  }
  rope.divisors = divisors_of(net, t);
  return rope;
}

RopeSpec local_rope(const MetaView& m, const RopeSpec& rope) {
  RopeSpec local = rope;
  local.table.theta = read_positive(m, "rope.freq_base_swa", rope.table.theta);
  return local;
}

RopeSpec unscaled_local_rope(const MetaView& m, const RopeSpec& rope, float theta) {
  return {.table = {.dims = rope.table.dims, .theta = read_positive(m, "rope.freq_base_swa", theta)}, .pairs = rope.pairs};
}

float yarn_magnitude(const MetaView& m, const RopeTable& table) {
  if (table.scaling != RopeScaling::kYarn) return 1;
  return 1.0f + 0.1f * read_finite(m, "rope.scaling.yarn_log_multiplier", 0) * std::log(table.factor);
}

Attention attention_of(const DecoderParams& p, KeyWindow window) {
  Attention out = attention_of(p);
  out.window = window;
  return out;
}

Attention attention_of(const DecoderParams& p) {
  return {.n_heads = p.n_heads,
          .n_kv_heads = p.n_kv_heads,
          .d_k = p.d_k,
          .d_v = p.d_v,
          .scale = 1.0f / std::sqrt(static_cast<float>(p.d_k)),
          .window = {p.window}};
}

}  // namespace skald
