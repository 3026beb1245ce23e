#include "graph/graph.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/ops/binary.h"

namespace skald {

void Attrs::wrong_type() { fail(Errc::kInternal, "an operation was given another operation's attributes"); }

int64_t StepStats::rows(const ValueDesc& d) const {
  switch (d.rows) {
    case Rows::kTokens:
      return n_tokens;
    case Rows::kOutputs:
      return n_outputs;
    case Rows::kFixed:
      break;
  }
  return d.shape.rank() ? d.shape[0] : 1;
}

double StepStats::elements(const ValueDesc& d) const {
  const double per_row =
      d.shape.rank() && d.shape[0] ? static_cast<double>(d.shape.elements()) / static_cast<double>(d.shape[0]) : 1;
  return per_row * static_cast<double>(rows(d));
}

double StepStats::bytes(const ValueDesc& d) const {
  return elements(d) / static_cast<double>(d.format->block) * static_cast<double>(d.format->block_bytes);
}

double StepStats::share_of_experts(int64_t n_experts, int64_t k) const {
  const auto n = static_cast<double>(n_experts);
  if (experts_read) return static_cast<double>(experts_read) / n;
  return 1 - std::pow(1 - static_cast<double>(k) / n, static_cast<double>(n_tokens));
}

StepStats::Keys StepStats::keys_of(const Sequence& s, const KeyWindow& window) {
  const int64_t first = s.keys - s.rows + 1;
  Keys out{.read = static_cast<double>(s.keys - window.begin(first))};
  for (int64_t seen = first; seen <= s.keys; ++seen)
    out.pairs += static_cast<double>(window.end(seen, s.prefix) - window.begin(seen));
  return out;
}

StepStats::Keys StepStats::keys_in(const KeyWindow& window) const {
  Keys out;
  for (const Sequence& s : sequences) {
    const Keys keys = keys_of(s, window);
    out.read += keys.read;
    out.pairs += keys.pairs;
  }
  return out;
}

Cost streaming_cost(const Attrs&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  Cost cost{.bytes = step.bytes(out), .flops = step.elements(out)};
  for (const ValueDesc& d : in) cost.bytes += step.bytes(d);
  return cost;
}

const ValueDesc& Tensor::desc() const { return graph->node(id).out; }

Tensor Graph::append(Node node) {
  nodes_.push_back(std::move(node));
  return {this, size() - 1};
}

Tensor Graph::input(std::string name, ValueDesc desc) {
  return append({.source = Source::kInput, .out = desc, .name = std::move(name)});
}

Tensor Graph::weight(std::string name, TensorDesc desc) {
  return append({.source = Source::kWeight, .out = {desc.format, desc.shape, Rows::kFixed}, .name = std::move(name)});
}

Tensor Graph::add(const OpDef& op, Attrs attrs, std::span<const Tensor> inputs, std::string name) {
  Node node{.op = &op, .attrs = std::move(attrs), .name = std::move(name)};
  std::vector<ValueDesc> descs;
  for (Tensor t : inputs) {
    SKALD_ASSERT(t.graph == this && t.id >= 0 && t.id < size());
    node.inputs.push_back(t.id);
    descs.push_back(t.desc());
  }
  node.out = doing(node.name.empty() ? std::string(op.name) : fmt::format("{} ({})", op.name, node.name),
                   [&] { return op.infer(node.attrs, descs); });
  return append(std::move(node));
}

Tensor Graph::add_once(const OpDef& op, Attrs attrs, std::span<const Tensor> inputs, std::string name) {
  const auto same = [&](const Node& n) {
    return n.op == &op && n.attrs.same_as(attrs) &&
           std::ranges::equal(n.inputs, inputs, {}, {}, [](Tensor t) { return t.id; });
  };
  if (auto it = std::ranges::find_if(nodes_, same); it != nodes_.end()) return {this, static_cast<int>(it - nodes_.begin())};
  return add(op, std::move(attrs), inputs, std::move(name));
}

int Graph::find(Source source, std::string_view name) const {
  const auto it = std::ranges::find_if(nodes_, [&](const Node& n) { return n.source == source && n.name == name; });
  return it == nodes_.end() ? -1 : static_cast<int>(it - nodes_.begin());
}

void Graph::give(int node, std::string_view name) {
  SKALD_ASSERT(node >= 0 && node < size());
  const auto at = std::ranges::find(outputs_, name, &GraphOutput::name);
  if (at == outputs_.end())
    outputs_.push_back({std::string(name), node});
  else
    at->node = node;
}

int Graph::output(std::string_view name) const {
  const auto at = std::ranges::find(outputs_, name, &GraphOutput::name);
  return at == outputs_.end() ? -1 : at->node;
}

bool Graph::gives(int node) const { return std::ranges::find(outputs_, node, &GraphOutput::node) != outputs_.end(); }

std::vector<int> Graph::step_inputs() const {
  std::vector<int> ids;
  for (int id = 0; id < size(); ++id)
    if (node(id).source == Source::kInput && std::ranges::find(bound, id) == bound.end()) ids.push_back(id);
  return ids;
}

int64_t slot_of(const Node& node) { return node.source == Source::kOp && node.op->slot ? node.op->slot(node.attrs) : -1; }

std::string_view layer_of_name(std::string_view name) {
  const size_t stack = name.starts_with("enc.") ? 4 : 0;
  return name.substr(stack).starts_with("blk.") ? name.substr(0, name.find('.', stack + 4)) : std::string_view();
}

std::vector<std::string> layers_of(const Graph& graph) {
  std::vector<std::string> out;
  for (const Node& node : graph.nodes()) {
    const std::string_view layer = node.source == Source::kOp ? layer_of_name(node.name) : "";
    if (!layer.empty() && std::ranges::find(out, layer) == out.end()) out.emplace_back(layer);
  }
  return out;
}

Tensor operator+(Tensor a, Tensor b) { return a.graph->add(op_add, Attrs(NoAttrs{}), {a, b}); }
Tensor operator*(Tensor a, Tensor b) { return a.graph->add(op_mul, Attrs(NoAttrs{}), {a, b}); }

}  // namespace skald
