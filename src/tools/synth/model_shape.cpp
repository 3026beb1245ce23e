#include "tools/synth/model_shape.h"

#include <array>

#include "base/error.h"
#include "tools/synth/shape_extras.h"

namespace skald {
namespace {

constexpr std::array kShapes = {
    ModelShape{"gemma-4-e4b", "gemma4", 42, 2560, 10240, 8, 2, 256, 262144, 131072, 512, 1e6f, true},
    ModelShape{"gemma-4-26b-a4b", "gemma4", 30, 2816, 2112, 16, 8, 256, 262144, 262144, 1024, 1e6f, true, 128, 8, 704},
    ModelShape{"granite-4-h-tiny", "granitehybrid", 40, 1536, 512, 12, 4, 128, 100352, 131072, 0, 1e4f, true, 64, 6, 512},
    ModelShape{"lfm2-8b-a1b", "lfm2moe", 24, 2048, 7168, 32, 8, 64, 65536, 128000, 0, 1e6f, true, 32, 4, 1792},
    ModelShape{"llama-2-7b", "llama", 32, 4096, 11008, 32, 32, 128, 32000, 4096, 0, 1e4f, false},
    ModelShape{"llama-3.1-8b", "llama", 32, 4096, 14336, 32, 8, 128, 128256, 131072, 0, 5e5f, false},
    ModelShape{"llama-3.2-1b", "llama", 16, 2048, 8192, 32, 8, 64, 128256, 131072, 0, 5e5f, true},
    ModelShape{"mistral-7b", "llama", 32, 4096, 14336, 32, 8, 128, 32000, 32768, 4096, 1e4f, false},
    ModelShape{"stories-15m", "llama", 6, 288, 768, 6, 6, 48, 32000, 256, 0, 1e4f, true},
    ModelShape{"tinyllama", "llama", 22, 2048, 5632, 32, 4, 64, 32000, 2048, 0, 1e4f, false},
    ModelShape{"nemotron-nano-9b-v2", "nemotron_h", 56, 4480, 15680, 40, 8, 128, 131072, 131072, 0, 1e4f, false},
    ModelShape{"phi-3-mini", "phi3", 32, 3072, 8192, 32, 32, 96, 32064, 4096, 2047, 1e4f, false},
    ModelShape{"qwen2.5-0.5b", "qwen2", 24, 896, 4864, 14, 2, 64, 151936, 32768, 0, 1e6f, true},
    ModelShape{"qwen2.5-7b", "qwen2", 28, 3584, 18944, 28, 4, 128, 152064, 131072, 0, 1e6f, false},
    ModelShape{"qwen3.5-4b", "qwen35", 32, 2560, 9216, 16, 4, 256, 248320, 262144, 0, 1e7f, true},
    ModelShape{"qwen3.5-35b-a3b", "qwen35moe", 40, 2048, 512, 16, 2, 256, 248320, 262144, 0, 1e7f, false, 256, 8, 512},
    ModelShape{"qwen3-0.6b", "qwen3", 28, 1024, 3072, 16, 8, 128, 151936, 40960, 0, 1e6f, true},
    ModelShape{"qwen3-30b-a3b", "qwen3moe", 48, 2048, 6144, 32, 4, 128, 151936, 40960, 0, 1e6f, false, 128, 8, 768},
};

MetaValue u32(int64_t v) { return static_cast<uint32_t>(v); }

ModelShape with_layers(ModelShape s, int64_t n) {
  if (n < 0 || n > s.n_layers)
    fail(Errc::kBadInput, "{} has {} layers: want 0, for all, to {}, got {}", s.name, s.n_layers, s.n_layers, n);
  if (n) s.n_layers = n;
  return s;
}

}  // namespace

ModelShape find_shape(std::string_view name, int64_t n_layers) {
  std::string known;
  for (const ModelShape& s : kShapes) {
    if (s.name == name) return with_layers(s, n_layers);
    known += (known.empty() ? "" : ", ") + std::string(s.name);
  }
  fail(Errc::kBadInput, "unknown shape '{}'; known: {}", name, known);
}

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  names.reserve(kShapes.size());
  for (const ModelShape& s : kShapes) names.emplace_back(s.name);
  return names;
}

Meta hyperparameters(const ModelShape& s) {
  Meta m;
  const auto key = [&](const char* k) { return std::string(s.arch) + "." + k; };
  m.set("general.architecture", std::string(s.arch));
  m.set("general.name", std::string(s.name));
  m.set(key("vocab_size"), u32(s.n_vocab));
  m.set(key("block_count"), u32(s.n_layers));
  m.set(key("context_length"), u32(s.n_ctx));
  m.set(key("embedding_length"), u32(s.d_model));
  m.set(key("feed_forward_length"), u32(s.d_ff));
  m.set(key("attention.head_count"), u32(s.n_heads));
  m.set(key("attention.head_count_kv"), u32(s.n_kv_heads));
  m.set(key("attention.key_length"), u32(s.d_head));
  m.set(key("attention.value_length"), u32(s.d_head));
  m.set(key("attention.layer_norm_rms_epsilon"), 1e-5f);
  if (s.window) m.set(key("attention.sliding_window"), u32(s.window));
  if (s.n_experts) {
    m.set(key("expert_count"), u32(s.n_experts));
    m.set(key("expert_used_count"), u32(s.n_experts_used));
    m.set(key("expert_feed_forward_length"), u32(s.d_expert));
  }
  m.set(key("rope.dimension_count"), u32(s.d_head));
  m.set(key("rope.freq_base"), s.theta);
  if (const ShapeExtras* extras = find_extras(s.arch)) extras->set_keys(s, m);
  return m;
}

}  // namespace skald
