#include "backend/gpu/placement.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <regex>
#include <utility>
#include <vector>

#include "backend/device_name.h"
#include "base/error.h"
#include "graph/ops/embed.h"

namespace skald::gpu {
namespace {

constexpr int64_t kAll = std::numeric_limits<int32_t>::max();

int64_t number_of_layers(const std::string& text) {
  if (text.empty() || text == "all" || text == "auto") return kAll;
  int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < -1)
    fail(Errc::kBadInput, "device.gpu_layers: want auto, all or a number, got '{}'", text);
  return n < 0 ? kAll : n;
}

/// Tensors whose names the expression is found in are on this device.
struct TensorRule {
  std::regex pattern;
  size_t device;
};

TensorRule rule_of(const std::string& text, const std::string& gpu) {
  const size_t equals = text.rfind('=');
  const std::string pattern = text.substr(0, equals), device = equals == text.npos ? "" : text.substr(equals + 1);
  const bool cpu = device_name(device).same_device(device_name("cpu"));
  if (pattern.empty() || (!cpu && !device_name(device).same_device(device_name(gpu))))
    fail(Errc::kBadInput, "device.override_tensors: want REGEX=CPU or REGEX={}, got '{}'", gpu, text);
  try {
    return {std::regex(pattern), cpu ? kCpu : kGpu};
  } catch (const std::regex_error& e) {
    fail(Errc::kBadInput, "device.override_tensors: '{}' is no regular expression: {}", pattern, e.what());
  }
}

std::vector<TensorRule> rules_of(const DeviceOptions& o) {
  std::vector<TensorRule> out;
  for (size_t from = 0; from < o.override_tensors.size();) {
    const size_t comma = std::min(o.override_tensors.find(',', from), o.override_tensors.size());
    out.push_back(rule_of(o.override_tensors.substr(from, comma - from), o.device));
    from = comma + 1;
  }
  return out;
}

bool of_experts(const std::string& weight) {
  static const std::regex pattern("\\.ffn_(up|down|gate|gate_up)_(ch|)exps");
  return std::regex_search(weight, pattern);
}

class Rules {
 public:
  explicit Rules(const DeviceOptions& o)
      : layers_on_gpu_(number_of_layers(o.gpu_layers)),
        experts_on_cpu_(o.cpu_moe ? kAll : o.n_cpu_moe),
        tensors_(rules_of(o)) {}

  NodePlacement of(const Graph& graph) const {
    return [rules = *this, &graph, layers = layers_of(graph)](const Node& node) -> std::optional<size_t> {
      return rules.device(graph, layers, node);
    };
  }

 private:
  using Layers = std::vector<std::string>;

  static int64_t number(const Layers& layers, std::string_view layer) {
    return std::ranges::find(layers, layer) - layers.begin();
  }

  std::optional<size_t> device(const Graph& graph, const Layers& layers, const Node& node) const {
    for (const int in : node.inputs) {
      if (graph.node(in).source != Source::kWeight) continue;
      if (const auto device = of_weight(layers, graph.node(in).name)) return device;
    }
    if (node.op == &op_embed) return kCpu;
    if (node.name.empty()) return std::nullopt;
    // What lies outside of layers counts as the last one.
    const int64_t first = std::max<int64_t>(std::ssize(layers) + 1 - layers_on_gpu_, 0);
    const std::string_view layer = layer_of_name(node.name);
    return (layer.empty() ? std::ssize(layers) : number(layers, layer)) >= first ? kGpu : kCpu;
  }

  std::optional<size_t> of_weight(const Layers& layers, const std::string& name) const {
    for (const TensorRule& rule : tensors_)
      if (std::regex_search(name, rule.pattern)) return rule.device;
    if (of_experts(name) && number(layers, layer_of_name(name)) < experts_on_cpu_) return kCpu;
    return std::nullopt;
  }

  int64_t layers_on_gpu_, experts_on_cpu_;
  std::vector<TensorRule> tensors_;
};

}  // namespace

bool splits(const DeviceOptions& o) {
  return !o.gpu_layers.empty() || o.cpu_moe || o.n_cpu_moe > 0 || !o.override_tensors.empty();
}

Placement placement_by(const DeviceOptions& o) {
  return [rules = Rules(o)](const Graph& graph) { return rules.of(graph); };
}

}  // namespace skald::gpu
