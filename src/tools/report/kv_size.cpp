#include "tools/report/kv_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "tools/report/table.h"

namespace skald {
namespace {

constexpr int64_t kMostLayers = 65536;

int64_t bytes_of(int64_t bits) {
  if (bits != 8 && bits != 16 && bits != 32) fail(Errc::kBadInput, "bits {}: want 8, 16 or 32", bits);
  return bits / 8;
}

int64_t layer_bytes(const StaticKvSpec& spec, size_t layer) {
  StaticKvSpec one = spec;
  one.layers = {spec.layers[layer]};
  return static_kv_size(one).bytes;
}

int64_t largest_layer_bytes(const StaticKvSpec& spec) {
  int64_t most = 0;
  for (size_t l = 0; l < spec.layers.size(); ++l) most = std::max(most, layer_bytes(spec, l));
  return most;
}

// A full window's copy, spread over the tokens from one copy to the next.
int64_t copied_bytes_per_token(const StaticKvSpec& spec, const StaticKvSize& size) {
  return size.window_bytes / spec.spare_rows();
}

const char* name_of(StaticReserve reserve) { return reserve == StaticReserve::kDouble ? "2.0" : "1.5"; }

std::string heads_text(const StaticKvSpec& spec) {
  const AttentionState& first = spec.layers.front();
  const auto like_first = [&](const AttentionState& l) {
    return l.n_kv_heads == first.n_kv_heads && l.d_k == first.d_k && l.d_v == first.d_v;
  };
  if (!std::ranges::all_of(spec.layers, like_first)) return "";
  const std::string d = first.d_k == first.d_v ? fmt::format("{}", first.d_k) : fmt::format("{} + {}", first.d_k, first.d_v);
  return fmt::format(", KV heads {} of {}", first.n_kv_heads, d);
}

}  // namespace

StaticKvSpec static_kv_spec(const KvShape& shape, StaticReserve reserve) {
  if (shape.n_layers < 1 || shape.n_layers > kMostLayers)
    fail(Errc::kBadInput, "layers {}: want 1 to {}", shape.n_layers, kMostLayers);
  const AttentionState layer{.n_kv_heads = shape.n_kv_heads, .d_k = shape.d_head, .d_v = shape.d_head};
  return {.layers = std::vector<AttentionState>(static_cast<size_t>(shape.n_layers), layer),
          .context = shape.context,
          .element_bytes = bytes_of(shape.bits),
          .reserve = reserve};
}

StaticKvSpec static_kv_spec(const LoadedModel& model, int64_t context, int64_t bits, StaticReserve reserve) {
  if (attention_states(model.states()).size() < model.states().size())
    fail(Errc::kUnsupported, "{} has recurrent layers: their states do not go with fixed shapes", model.name());
  return {.layers = attention_states(model.states()),
          .context = context == 0 ? model.n_ctx_train() : context,
          .element_bytes = bytes_of(bits),
          .reserve = reserve};
}

std::string kv_size_text(const StaticKvSpec& spec) {
  const StaticKvSize size = static_kv_size(spec);
  std::string out =
      fmt::format("{} bytes\nlayers {}{}, context {}, {} bits, reserve {}\n\n", in_thousands(size.bytes), spec.layers.size(),
                  heads_text(spec), spec.context, 8 * spec.element_bytes, name_of(spec.reserve));
  const std::pair<const char*, int64_t> parts[] = {
      {"keys", size.key_bytes},
      {"values", size.value_bytes},
      {"window, which the graph reads", size.window_bytes},
      {"reserve after the window", size.bytes - size.window_bytes},
      {"largest layer", largest_layer_bytes(spec)},
      {"one token's keys and values", size.token_bytes},
      {"copied per token, on average", copied_bytes_per_token(spec, size)},
  };
  Table table{{"part", "bytes"}, {}};
  for (const auto& [name, bytes] : parts) table.rows.push_back({name, in_thousands(bytes)});
  return out + table.markdown();
}

std::string kv_size_json(const StaticKvSpec& spec) {
  const StaticKvSize size = static_kv_size(spec);
  nlohmann::ordered_json out = {{"bytes", size.bytes},
                                {"key_bytes", size.key_bytes},
                                {"value_bytes", size.value_bytes},
                                {"window_bytes", size.window_bytes},
                                {"token_bytes", size.token_bytes},
                                {"copied_bytes_per_token", copied_bytes_per_token(spec, size)},
                                {"context", spec.context},
                                {"bits", 8 * spec.element_bytes},
                                {"reserve", spec.reserve == StaticReserve::kDouble ? 2.0 : 1.5},
                                {"layers", nlohmann::ordered_json::array()}};
  for (size_t l = 0; l < spec.layers.size(); ++l) {
    const AttentionState& layer = spec.layers[l];
    out["layers"].push_back(
        {{"n_kv_heads", layer.n_kv_heads}, {"d_k", layer.d_k}, {"d_v", layer.d_v}, {"bytes", layer_bytes(spec, l)}});
  }
  return out.dump(2) + "\n";
}

}  // namespace skald
