#include "stepping/coarse_keys.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/log.h"

namespace skald {
namespace {

bool has_weight(const Graph& graph, std::string_view ending) {
  return std::ranges::any_of(
      graph.nodes(), [&](const Node& node) { return node.source == Source::kWeight && node.name.ends_with(ending); });
}

}  // namespace

void warn_of_coarse_keys(const Graph& graph, const Format& keys) {
  constexpr std::array<std::string_view, 2> kBiases = {".attn_k.bias", ".attn_qkv.bias"};
  const bool coarse = keys.block_bytes * 8 < keys.block * 6;
  const bool biased = std::ranges::any_of(kBiases, [&](std::string_view name) { return has_weight(graph, name); });
  if (!coarse || !biased || has_weight(graph, ".attn_k_norm.weight")) return;
  log(LogLevel::kWarn,
      "{} keys: this model's keys have biases, and little is left of such a model with four bits by rows; "
      "kc4 and kc8 keys (-ct small) keep it",
      keys.name);
}

}  // namespace skald
