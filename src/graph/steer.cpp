#include "graph/steer.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <vector>

#include "base/error.h"
#include "graph/rewrite.h"

namespace skald {
namespace {

constexpr std::string_view kEnding = ".control_vector";
constexpr int64_t kBefore = -1, kAfter = std::numeric_limits<int64_t>::max();  // all layers

// 3 of "blk.3.attn_q"; kBefore of a name outside of layers.
int64_t layer_number(std::string_view name) {
  const std::string_view layer = layer_of_name(name), digits = layer.substr(layer.rfind('.') + 1);
  int64_t number = kBefore;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// The layer that each node is a part of: that of its name. Sums and products without a name are parts of the last layer
// that their inputs are of, and operations that have names of their own are after the layers that they read.
std::vector<int64_t> layers_of_nodes(const Graph& graph) {
  std::vector<int64_t> out;
  for (const Node& node : graph.nodes()) {
    int64_t layer = node.source == Source::kOp ? layer_number(node.name) : kBefore;
    if (layer == kBefore) {
      for (const int in : node.inputs) layer = std::max(layer, out[static_cast<size_t>(in)]);
      if (layer != kBefore && !node.name.empty()) layer = kAfter;
    }
    out.push_back(layer);
  }
  return out;
}

class Steering {
 public:
  Steering(const Graph& from, std::span<const int64_t> layers, int64_t d_model)
      : from_(from), d_model_(d_model), layer_of_(layers_of_nodes(from)) {
    std::map<int64_t, std::vector<int>> outputs = outputs_of_layers();
    for (const int64_t layer : layers) {
      const std::vector<int>& values = outputs[layer];
      if (values.size() != 1)
        fail(Errc::kUnsupported, "layer {} has {} outputs of {} columns: want one, to which its vector is added", layer,
             values.size(), d_model);
      vectors_.emplace(values.front(), control_vector_name(layer));
    }
  }

  Graph run() {
    return rewrite(from_, [this](Graph& to, int id, std::span<const int> moved) { return move(to, id, moved); });
  }

 private:
  int64_t layer_of(int id) const { return layer_of_[static_cast<size_t>(id)]; }

  // Whether the node is the result of an operation in some layer, of the form of its output.
  bool fits(int id) const {
    const ValueDesc& out = from_.node(id).out;
    return layer_of(id) != kBefore && layer_of(id) != kAfter && out.format == &format_f32 && out.shape.rank() == 2 &&
           out.shape.back() == d_model_ && out.rows != Rows::kFixed;
  }

  // The values that are read after the layer that they are of, by layer.
  std::map<int64_t, std::vector<int>> outputs_of_layers() const {
    std::vector<bool> read(layer_of_.size());
    for (int id = 0; id < from_.size(); ++id)
      for (const int in : from_.node(id).inputs)
        if (layer_of(id) > layer_of(in)) read[static_cast<size_t>(in)] = true;
    for (const GraphOutput& out : from_.outputs()) read[static_cast<size_t>(out.node)] = true;
    std::map<int64_t, std::vector<int>> out;
    for (int id = 0; id < from_.size(); ++id)
      if (read[static_cast<size_t>(id)] && fits(id)) out[layer_of(id)].push_back(id);
    return out;
  }

  // The layer itself reads its value as it is.
  Tensor move(Graph& to, int id, std::span<const int> moved) {
    const Node& node = from_.node(id);
    std::vector<Tensor> in;
    for (const int i : node.inputs) {
      const auto plain = layer_of(i) == layer_of(id) ? plain_.find(i) : plain_.end();
      in.push_back({&to, plain == plain_.end() ? moved[static_cast<size_t>(i)] : plain->second});
    }
    const Tensor out = to.add(*node.op, node.attrs, in, node.name);
    const auto vector = vectors_.find(id);
    if (vector == vectors_.end()) return out;
    plain_.emplace(id, out.id);
    return out + to.weight(vector->second, {&format_f32, Shape{d_model_}});
  }

  const Graph& from_;
  int64_t d_model_;
  std::vector<int64_t> layer_of_;       // (nodes)
  std::map<int, std::string> vectors_;  // by the value of the first graph that each is added to
  std::map<int, int> plain_;            // such a value -> the same in the other graph, without the vector
};

}  // namespace

std::string control_vector_name(int64_t layer) { return fmt::format("blk.{}{}", layer, kEnding); }
bool is_control_vector(std::string_view weight) { return weight.ends_with(kEnding); }

Graph steer(const Graph& graph, std::span<const int64_t> layers, int64_t d_model) {
  return Steering(graph, layers, d_model).run();
}

}  // namespace skald
