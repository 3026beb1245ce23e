#include "tools/synth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include "base/error.h"
#include "quant/registry.h"

namespace skald {
namespace {

struct ModelShape {
  const char* name;
  const char* arch;
  int64_t n_layers, d_model, d_ff, n_heads, n_kv_heads, d_head, n_vocab, n_ctx, window;
  float theta;
  bool tied;
};

constexpr std::array kShapes = {
    ModelShape{"llama-2-7b", "llama", 32, 4096, 11008, 32, 32, 128, 32000, 4096, 0, 1e4f, false},
    ModelShape{"llama-3.1-8b", "llama", 32, 4096, 14336, 32, 8, 128, 128256, 131072, 0, 5e5f, false},
    ModelShape{"llama-3.2-1b", "llama", 16, 2048, 8192, 32, 8, 64, 128256, 131072, 0, 5e5f, true},
    ModelShape{"mistral-7b", "llama", 32, 4096, 14336, 32, 8, 128, 32000, 32768, 4096, 1e4f, false},
    ModelShape{"tinyllama", "llama", 22, 2048, 5632, 32, 4, 64, 32000, 2048, 0, 1e4f, false},
    ModelShape{"qwen2.5-0.5b", "qwen2", 24, 896, 4864, 14, 2, 64, 151936, 32768, 0, 1e6f, true},
    ModelShape{"qwen2.5-7b", "qwen2", 28, 3584, 18944, 28, 4, 128, 152064, 131072, 0, 1e6f, false},
};

const ModelShape& find_shape(const std::string& name) {
  std::string known;
  for (const ModelShape& s : kShapes) {
    if (s.name == name) return s;
    known += (known.empty() ? "" : ", ") + std::string(s.name);
  }
  fail(Errc::kBadInput, "unknown shape '{}'; known: {}", name, known);
}

Meta metadata(const ModelShape& s) {
  Meta m;
  const auto key = [&](const char* k) { return std::string(s.arch) + "." + k; };
  const auto u32 = [](int64_t v) { return MetaValue(static_cast<uint32_t>(v)); };
  m.set("general.architecture", std::string(s.arch));
  m.set("general.name", std::string(s.name));
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
  m.set(key("rope.freq_base"), s.theta);
  return m;
}

// Random numbers of a small spread, encoded once and laid out again and again: what matters is where they lie, not what.
std::vector<std::byte> random_elements(const Format& format, int64_t n, float spread) {
  std::vector<float> values(static_cast<size_t>(n));
  uint64_t state = 1;
  for (float& v : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = (static_cast<float>(state >> 40) * 0x1p-23f - 1.0f) * spread;
  }
  std::vector<std::byte> out(static_cast<size_t>(format.bytes(n)));
  format.encode(values.data(), out.data(), n);
  return out;
}

void repeat(std::span<const std::byte> pattern, std::byte* out, int64_t bytes) {
  for (int64_t done = 0; done < bytes;) {
    const int64_t n = std::min(bytes - done, static_cast<int64_t>(pattern.size()));
    std::memcpy(out + done, pattern.data(), static_cast<size_t>(n));
    done += n;
  }
}

// The weights that the family's graph asks for.
std::vector<Node> wanted_weights(const ModelShape& s, const Format& type, const Meta& meta) {
  const auto lookup = [&](std::string_view name, const Shape* want) -> std::optional<TensorDesc> {
    if (want) return TensorDesc{want->rank() == 1 ? &format_f32 : &type, *want};
    if (name == "token_embd.weight" || (name == "output.weight" && !s.tied))
      return TensorDesc{&type, Shape{s.n_vocab, s.d_model}};
    return std::nullopt;
  };
  Graph graph;
  Net net(graph, lookup, {1, 1});
  find_family(s.arch).build(net, MetaView(meta, s.arch));
  std::vector<Node> out;
  for (const Node& n : graph.nodes())
    if (n.source == Source::kWeight) out.push_back(n);
  return out;
}

}  // namespace

std::vector<std::string> shape_names() {
  std::vector<std::string> names;
  for (const ModelShape& s : kShapes) names.emplace_back(s.name);
  return names;
}

std::shared_ptr<const LoadedModel> synth_model(const std::string& shape, const std::string& type, LoadOptions options,
                                               const std::function<void(double)>& progress) {
  const ModelShape& s = find_shape(shape);
  const Format* format = find_format(type);
  if (!format || !format->encode) fail(Errc::kBadInput, "unknown weight type '{}'", type);
  Meta meta = metadata(s);
  const std::vector<Node> wanted = wanted_weights(s, *format, meta);
  const float spread = 1.0f / std::sqrt(static_cast<float>(s.d_model));
  // A prime number of blocks, so that repetitions do not line up with rows.
  const std::vector<std::byte> matrix = random_elements(*format, 32771 * format->block, spread);
  const std::vector<std::byte> vector = random_elements(format_f32, 32771, 1.0f);
  WeightSet set;
  std::vector<Buffer> memory;
  for (const Node& n : wanted) {
    memory.emplace_back(n.out.tensor().bytes());
    Buffer& buffer = memory.back();
    repeat(n.out.shape.rank() == 1 ? vector : matrix, buffer.data(), buffer.size());
    set.weights.emplace(n.name,
                        WeightSet::Weight{find_gguf_type(n.out.format->id), n.out.shape, buffer.data(), buffer.size()});
    if (progress) progress(static_cast<double>(memory.size()) / static_cast<double>(wanted.size()));
  }
  return LoadedModel::from_memory(std::move(meta), std::move(set), std::move(memory), std::move(options));
}

}  // namespace skald
