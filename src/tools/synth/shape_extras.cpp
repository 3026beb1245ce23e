#include "tools/synth/shape_extras.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/checked.h"
#include "tools/synth/model_shape.h"

namespace skald {
namespace {

MetaValue u32_value(int64_t v) { return static_cast<uint32_t>(v); }

/// The keys of one shape.
class Keys {
 public:
  Keys(const ModelShape& s, Meta& meta) : s_(s), meta_(meta) {}
  void set(const char* key, int64_t v) { meta_.set(full(key), u32_value(v)); }
  void set(const char* key, float v) { meta_.set(full(key), v); }
  void set(const char* key, bool v) { meta_.set(full(key), v); }
  /// f(layer) for each layer.
  template <class F>
  void numbers(const char* key, F f) {
    std::vector<uint32_t> all;
    for (int64_t i = 0; i < s_.n_layers; ++i) all.push_back(static_cast<uint32_t>(f(i)));
    meta_.set(full(key), MetaArray{all});
  }
  template <class F>
  void flags(const char* key, F f) {
    std::vector<bool> all;
    for (int64_t i = 0; i < s_.n_layers; ++i) all.push_back(f(i));
    meta_.set(full(key), MetaArray{all});
  }
  void states(int64_t heads, int64_t d_inner, int64_t d_state, int64_t groups) {
    set("ssm.conv_kernel", int64_t{4});
    set("ssm.inner_size", d_inner);
    set("ssm.state_size", d_state);
    set("ssm.time_step_rank", heads);
    set("ssm.group_count", groups);
  }

 private:
  std::string full(const char* key) const { return std::string(s_.arch) + "." + key; }
  const ModelShape& s_;
  Meta& meta_;
};

std::optional<Shape> none(const ModelShape&, int64_t, std::string_view) { return {}; }

// Qwen3.5: delta nets of 32 value heads in three of four layers; RoPE on a quarter of a head.
void qwen35_keys(const ModelShape& s, Meta& meta) {
  Keys keys(s, meta);
  keys.states(32, 4096, 128, 16);
  keys.set("full_attention_interval", int64_t{4});
  keys.set("rope.dimension_count", s.d_head / 4);
  if (s.n_experts) keys.set("expert_shared_feed_forward_length", s.d_expert);
  const std::vector<int32_t> sections = {11, 11, 10, 0};
  meta.set(std::string(s.arch) + ".rope.dimension_sections", MetaArray{sections});
}

// LFM2-8B-A1B: six attention layers between short convolutions, two dense layers first.
void lfm2moe_keys(const ModelShape& s, Meta& meta) {
  constexpr std::array<int64_t, 6> kAttention = {2, 6, 10, 14, 18, 21};
  Keys keys(s, meta);
  keys.numbers("attention.head_count_kv", [&](int64_t i) { return std::ranges::count(kAttention, i) ? s.n_kv_heads : 0; });
  keys.set("shortconv.l_cache", int64_t{3});
  keys.set("leading_dense_block_count", int64_t{2});
  keys.set("expert_gating_func", int64_t{2});
}

std::optional<Shape> lfm2moe_weight(const ModelShape& s, int64_t layer, std::string_view name) {
  return name == "exp_probs_b.bias" && layer >= 2 ? std::optional(Shape{s.n_experts}) : std::nullopt;
}

// Gemma 4: every sixth layer sees all keys, by heads of 512 instead of 256. The small model has embeddings of each layer and
// last layers without keys. The other has experts, and in full layers fewer heads of keys, which are the values too.
bool gemma4_is_full(int64_t layer) { return layer % 6 == 5; }

// Of all 42 layers the last 18; of fewer as many, but whole groups of six keep keys.
int64_t gemma4_shared(const ModelShape& s) { return s.n_layers - std::min(s.n_layers, round_up(s.n_layers * 24 / 42, 6)); }

void gemma4_keys(const ModelShape& s, Meta& meta) {
  Keys keys(s, meta);
  const bool small = s.n_experts == 0;
  keys.flags("attention.sliding_window_pattern", [](int64_t i) { return !gemma4_is_full(i); });
  if (!small)
    keys.numbers("attention.head_count_kv", [&](int64_t i) { return gemma4_is_full(i) ? s.n_kv_heads / 4 : s.n_kv_heads; });
  keys.set("attention.key_length", 2 * s.d_head);
  keys.set("attention.value_length", 2 * s.d_head);
  keys.set("attention.key_length_swa", s.d_head);
  keys.set("attention.value_length_swa", s.d_head);
  keys.set("rope.dimension_count", 2 * s.d_head);
  keys.set("rope.dimension_count_swa", s.d_head);
  keys.set("rope.freq_base_swa", 1e4f);
  keys.set("attention.shared_kv_layers", small ? gemma4_shared(s) : 0);
  keys.set("embedding_length_per_layer_input", int64_t{small ? 256 : 0});
  keys.set("final_logit_softcapping", 30.0f);
}

std::optional<Shape> gemma4_weight(const ModelShape& s, int64_t layer, std::string_view name) {
  const bool small = s.n_experts == 0;
  if (name == "per_layer_token_embd.weight") return Shape{s.n_vocab, 256 * s.n_layers};
  if (name == "rope_freqs.weight") return Shape{s.d_head};
  if (name == "ffn_gate_inp.weight" && !small) return Shape{s.n_experts, s.d_model};
  const bool shared = small && layer >= s.n_layers - gemma4_shared(s);
  if (name == "attn_v.weight" && !shared && (small || !gemma4_is_full(layer)))
    return Shape{s.n_kv_heads * (gemma4_is_full(layer) ? 2 * s.d_head : s.d_head), s.d_model};
  return {};
}

// Granite 4 H Tiny: four attention layers, without RoPE, between Mamba 2; experts beside a shared one.
void granite_keys(const ModelShape& s, Meta& meta) {
  Keys keys(s, meta);
  keys.numbers("attention.head_count_kv", [&](int64_t i) { return i % 10 == 5 ? s.n_kv_heads : 0; });
  keys.states(48, 2 * s.d_model, 128, 1);
  keys.set("expert_shared_feed_forward_length", 2 * s.d_expert);
  keys.set("rope.scaling.finetuned", false);
  keys.set("attention.scale", 1.0f / 128);
  keys.set("embedding_scale", 12.0f);
  keys.set("residual_scale", 0.22f);
  keys.set("logit_scale", 6.0f);
}

// Tensors that Mamba 2's files may leave out, and these do not: the convolution's bias, and norms of the gated values.
std::optional<Shape> mamba_weight(std::string_view name, int64_t d_inner, int64_t groups) {
  constexpr int64_t kState = 128;
  if (name == "ssm_norm.weight") return Shape{groups, d_inner / groups};
  if (name == "ssm_conv1d.bias") return Shape{d_inner + 2 * groups * kState};
  return {};
}

std::optional<Shape> granite_weight(const ModelShape& s, int64_t, std::string_view name) {
  return mamba_weight(name, 2 * s.d_model, 1);
}

std::optional<Shape> nemotron_weight(const ModelShape&, int64_t, std::string_view name) {
  return mamba_weight(name, 10240, 8);
}

// Nemotron Nano 9B v2: a block of one kind in each layer.
constexpr std::string_view kNemotronLayers = "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-";

void nemotron_keys(const ModelShape& s, Meta& meta) {
  Keys keys(s, meta);
  const auto kind = [](int64_t i) { return kNemotronLayers[static_cast<size_t>(i)]; };
  keys.numbers("attention.head_count_kv", [&](int64_t i) { return kind(i) == '*' ? s.n_kv_heads : 0; });
  keys.numbers("feed_forward_length", [&](int64_t i) { return kind(i) == '-' ? s.d_ff : 0; });
  keys.states(128, 10240, 128, 8);
  keys.set("attention.layer_norm_epsilon", 1e-5f);
}

constexpr std::array kExtras = {
    ShapeExtras{"qwen35", qwen35_keys, none},
    ShapeExtras{"qwen35moe", qwen35_keys, none},
    ShapeExtras{"lfm2moe", lfm2moe_keys, lfm2moe_weight},
    ShapeExtras{"gemma4", gemma4_keys, gemma4_weight},
    ShapeExtras{"granitehybrid", granite_keys, granite_weight},
    ShapeExtras{"nemotron_h", nemotron_keys, nemotron_weight},
};

}  // namespace

const ShapeExtras* find_extras(std::string_view arch) {
  const auto* found = std::ranges::find(kExtras, arch, &ShapeExtras::arch);
  return found == kExtras.end() ? nullptr : found;
}

}  // namespace skald
