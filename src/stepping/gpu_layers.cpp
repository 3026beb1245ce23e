#include "stepping/gpu_layers.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/device_name.h"
#include "base/log.h"
#include "graph/graph.h"
#include "stepping/memory_need.h"

namespace skald {
namespace {

constexpr int64_t kForWork = int64_t{512} << 20;

struct LayerBytes {
  int64_t weights = 0;
  int64_t numbers = 0;  // that a token caches
};

int64_t cached_numbers(const StateSpec& state) {
  const auto* a = std::get_if<AttentionState>(&state);
  return a ? a->n_kv_heads * (a->d_k + a->d_v) : 0;
}

// Of each layer in order, and last of what follows them.
std::vector<LayerBytes> bytes_of_layers(const Graph& graph) {
  const std::vector<std::string> layers = layers_of(graph);
  std::vector<LayerBytes> out(layers.size() + 1);
  std::set<int> weights;
  std::set<int64_t> slots;
  for (const Node& node : graph.nodes()) {
    if (node.source != Source::kOp) continue;
    const std::string_view layer = layer_of_name(node.name);
    LayerBytes& of = out[static_cast<size_t>(std::ranges::find(layers, layer) - layers.begin())];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Node& weight = graph.node(node.inputs[i]);
      if (weight.source != Source::kWeight || !weights.insert(node.inputs[i]).second) continue;
      if (!layer.empty() || node.op->is_factor(i)) of.weights += weight.out.tensor().bytes();
    }
    if (const int64_t slot = slot_of(node); slot >= 0 && !layer.empty() && slots.insert(slot).second)
      of.numbers += cached_numbers(graph.states[static_cast<size_t>(slot)]);
  }
  return out;
}

}  // namespace

int64_t layers_that_fit(const LoadedModel& model, const EngineOptions& options, int64_t memory) {
  EngineOptions o = options;
  if (o.cache.n_ctx == 0) o.cache.n_ctx = model.n_ctx_train();
  const std::vector<LayerBytes> bytes = bytes_of_layers(model.build_graph({1, 1}));
  int64_t numbers = 0;
  for (const LayerBytes& of : bytes) numbers += of.numbers;
  const int64_t cache = numbers ? memory_need(model, o).cache : 0;
  int64_t left = memory - kForWork, layers = 0;
  for (size_t i = bytes.size(); i-- > 0; ++layers) {
    left -= bytes[i].weights + (numbers ? cache / numbers * bytes[i].numbers : 0);
    if (left < 0) break;
  }
  return layers;
}

EngineOptions with_gpu_layers(const LoadedModel& model, EngineOptions options) {
  if (options.device.gpu_layers != "auto") return options;
  const BackendDef& backend = find_backend(options.device.device);
  const size_t number = device_name(options.device.device).number;
  if (number >= backend.devices()) return options;  // which is an error where the backend is made
  const DeviceSummary device = backend.describe(number);
  const int64_t layers = layers_that_fit(model, options, device.free_bytes);
  log(LogLevel::kInfo, "{} layers fit into the {} MiB that {} has free", layers, device.free_bytes >> 20, device.name);
  options.device.gpu_layers = std::to_string(layers);
  return options;
}

}  // namespace skald
