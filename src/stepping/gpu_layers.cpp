#include "stepping/gpu_layers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/log.h"
#include "graph/graph.h"
#include "stepping/memory_need.h"

namespace skald {
namespace {

constexpr int64_t kForWork = int64_t{512} << 20;

/// Bytes on a device of each layer in order, and last of what follows them.
struct LayerBytes {
  std::vector<std::string> names;
  std::vector<int64_t> weights;
  std::vector<int64_t> numbers;  // that a token caches

  size_t at(std::string_view layer) {
    const auto found = std::ranges::find(names, layer);
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
    names.emplace_back(layer);
    weights.push_back(0);
    numbers.push_back(0);
    return names.size() - 1;
  }
};

int64_t cached_numbers(const StateSpec& state) {
  const auto* a = std::get_if<AttentionState>(&state);
  return a ? a->n_kv_heads * (a->d_k + a->d_v) : 0;
}

LayerBytes bytes_of_layers(const Graph& graph) {
  LayerBytes out;
  std::set<int> weights;
  std::set<int64_t> slots;
  int64_t after = 0;  // weights outside of layers that products read
  for (const Node& node : graph.nodes()) {
    if (node.source != Source::kOp) continue;
    const std::string_view layer = layer_of_name(node.name);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Node& weight = graph.node(node.inputs[i]);
      if (weight.source != Source::kWeight || !weights.insert(node.inputs[i]).second) continue;
      const int64_t bytes = weight.out.tensor().bytes();
      if (!layer.empty())
        out.weights[out.at(layer)] += bytes;
      else if (node.op->is_factor(i))
        after += bytes;
    }
    if (const int64_t slot = slot_of(node); slot >= 0 && !layer.empty() && slots.insert(slot).second)
      out.numbers[out.at(layer)] += cached_numbers(graph.states[static_cast<size_t>(slot)]);
  }
  out.weights[out.at("")] += after;
  return out;
}

}  // namespace

int64_t layers_that_fit(const LoadedModel& model, const EngineOptions& options, int64_t memory) {
  EngineOptions o = options;
  if (o.cache.n_ctx == 0) o.cache.n_ctx = model.n_ctx_train();
  const LayerBytes bytes = bytes_of_layers(model.build_graph({1, 1}));
  int64_t numbers = 0;
  for (const int64_t n : bytes.numbers) numbers += n;
  const int64_t cache = numbers ? memory_need(model, o).cache : 0;
  int64_t left = memory - kForWork, layers = 0;
  for (size_t i = bytes.names.size(); i-- > 0; ++layers) {
    left -= bytes.weights[i] + (numbers ? cache / numbers * bytes.numbers[i] : 0);
    if (left < 0) break;
  }
  return layers;
}

EngineOptions with_gpu_layers(const LoadedModel& model, EngineOptions options) {
  if (options.device.gpu_layers != "auto") return options;
  const std::vector<DeviceSummary> devices = find_backend(options.device.device).devices();
  if (devices.empty()) return options;
  const int64_t layers = layers_that_fit(model, options, devices.front().free_bytes);
  log(LogLevel::kInfo, "{} layers fit into the {} MiB that {} has free", layers, devices.front().free_bytes >> 20,
      devices.front().name);
  options.device.gpu_layers = std::to_string(layers);
  return options;
}

}  // namespace skald
