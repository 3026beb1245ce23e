#include "graph/dot.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <vector>

namespace skald {
namespace {

// "blk.3." for a node of layer 3, else empty. Unnamed nodes (sums, products) belong where their last input does.
std::string layer_of(const Graph& graph, int id) {
  const Node& node = graph.node(id);
  if (!node.name.empty() || node.inputs.empty()) return std::string(layer_of_name(node.name));
  std::string layer;
  for (int in : node.inputs)
    if (std::string l = layer_of(graph, in); !l.empty()) layer = l;
  return layer;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c < ' ' ? ' ' : c;
  }
  return out;
}

std::string shape_text(const ValueDesc& d) {
  if (d.rows == Rows::kFixed) return d.shape.to_string();
  const char* rows = d.rows == Rows::kTokens ? "tokens" : "outputs";
  std::string s = fmt::format("({}", rows);
  for (int i = 1; i < d.shape.rank(); ++i) s += fmt::format(", {}", d.shape[i]);
  return s + ")";
}

std::string op_label(const Graph& graph, const Node& node) {
  std::string label = std::string(node.op->name);
  if (!node.name.empty()) label += "\\n" + escaped(node.name);
  for (int in : node.inputs)
    if (const Node& w = graph.node(in); w.source == Source::kWeight)
      label += fmt::format("\\n{} {}", w.out.format->name, w.out.shape.to_string());
  if (std::string attrs = node.op->describe(node.attrs); !attrs.empty()) label += "\\n" + escaped(attrs);
  return label;
}

// A thick frame in the device's colour.
std::string frame_of(std::span<const size_t> devices, int id) {
  constexpr std::array kColours{"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b"};
  if (devices.empty()) return {};
  return fmt::format(" color=\"{}\" penwidth=2", kColours[devices[static_cast<size_t>(id)] % kColours.size()]);
}

// Weights are written into the boxes that use them: drawn apart they would hide the flow.
void draw_node(const Graph& graph, int id, const std::string& frame, std::string& out) {
  const Node& node = graph.node(id);
  if (node.source == Source::kInput)
    out += fmt::format("  n{} [label=\"{}\\n{}\" shape=ellipse style=filled fillcolor=\"#fff2cc\"];\n", id,
                       escaped(node.name), shape_text(node.out));
  else if (node.source == Source::kOp)
    out += fmt::format("  n{} [label=\"{}\" fillcolor=\"{}\"{}];\n", id, op_label(graph, node),
                       node.op->matmul                ? "#dae8fc"
                       : node.op->name == "attention" ? "#f8cecc"
                                                      : "#f5f5f5",
                       frame);
}

void draw_edges(const Graph& graph, int id, std::string& out) {
  for (int in : graph.node(id).inputs)
    if (graph.node(in).source != Source::kWeight)
      out += fmt::format("  n{} -> n{} [label=\"{}\"];\n", in, id, shape_text(graph.node(in).out));
}

}  // namespace

std::string to_dot(const Graph& graph, const std::string& title, std::span<const size_t> devices) {
  std::string out = fmt::format(
      "digraph skald {{\n  label=\"{}\"; labelloc=t; fontname=Helvetica; rankdir=TB;\n"
      "  node [shape=box style=\"filled,rounded\" fontname=Helvetica fontsize=10];\n  edge [fontname=Helvetica "
      "fontsize=8];\n",
      escaped(title));
  std::map<std::string, std::vector<int>> layers;
  for (int id = 0; id < graph.size(); ++id) layers[layer_of(graph, id)].push_back(id);
  for (const auto& [layer, ids] : layers) {
    if (!layer.empty())
      out += fmt::format("  subgraph \"cluster_{0}\" {{ label=\"{0}\"; color=\"#b0b0b0\";\n", escaped(layer));
    for (int id : ids) draw_node(graph, id, frame_of(devices, id), out);
    if (!layer.empty()) out += "  }\n";
  }
  for (int id = 0; id < graph.size(); ++id) draw_edges(graph, id, out);
  return out + "}\n";
}

}  // namespace skald
