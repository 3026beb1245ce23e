// Graph: the computation of one step as a list of nodes in the order in which they can run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/op.h"
#include "graph/output_names.h"
#include "graph/step_capacity.h"
#include "graph/weight_slice.h"
#include "tensor/state_spec.h"

namespace skald {

/// Where a node's value comes from.
enum class Source : uint8_t { kOp, kInput, kWeight };

struct Node {
  Source source = Source::kOp;
  const OpDef* op = nullptr;  // only for kOp
  Attrs attrs = {};
  std::vector<int> inputs = {};  // ids of earlier nodes
  ValueDesc out = {};
  std::string name = {};  // of the input, the weight, or the place in the model ("blk.3.attn_q")
};

/// A value that a step gives to its caller.
struct GraphOutput {
  std::string name;
  int node;
};

class Graph {
 public:
  Tensor input(std::string name, ValueDesc desc);
  Tensor weight(std::string name, TensorDesc desc);

  /// Appends a node after checking it; errors carry the operation's and the node's name.
  Tensor add(const OpDef& op, Attrs attrs, std::span<const Tensor> inputs, std::string name = {});
  Tensor add(const OpDef& op, Attrs attrs, std::initializer_list<Tensor> inputs, std::string name = {}) {
    return add(op, std::move(attrs), std::span(inputs.begin(), inputs.size()), std::move(name));
  }

  /// An equal node that is already there, else a new one.
  Tensor add_once(const OpDef& op, Attrs attrs, std::span<const Tensor> inputs, std::string name = {});

  /// The node with this name and source, or -1.
  int find(Source source, std::string_view name) const;
  /// The inputs that are not bound, in order: every step brings their values (StepArgs::inputs).
  std::vector<int> step_inputs() const;

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(int id) const { return nodes_[static_cast<size_t>(id)]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  /// Makes a node's value one that steps give, by this name, which another one had before.
  void give(int node, std::string_view name = output_names::kLogits);
  const std::vector<GraphOutput>& outputs() const { return outputs_; }
  /// The node of the value that steps give by this name; -1: there is none.
  int output(std::string_view name = output_names::kLogits) const;
  /// Whether steps give the node's value.
  bool gives(int node) const;

  /// What the stateful operations keep between steps: their attributes name a slot, an index into this.
  std::vector<StateSpec> states;
  /// The token before which a sequence's first ones see each other in both directions (a prefix, KvSequence::set_prefix);
  /// -1: attention is causal throughout.
  int32_t prefix_end = -1;
  /// False: all tokens of a sequence see each other. A step takes a sequence from its beginning to its end, as one prefix.
  bool causal = true;
  /// Values that lie where the caller says at each step (StepArgs::bound), in this order: inputs, and further outputs.
  std::vector<int> bound;
  /// The step that a model's graph was built for.
  std::optional<StepCapacity> made_for;
  /// Of a rank's share of a model's graph: the weights that are parts of the model's, by their names here.
  std::map<std::string, WeightSlice> slices;
  /// What the attributes of operations refer to.
  std::vector<std::shared_ptr<const void>> plans;

 private:
  Tensor append(Node node);
  std::vector<Node> nodes_;
  std::vector<GraphOutput> outputs_;
};

/// The slot of a stateful operation; -1 for other nodes.
int64_t slot_of(const Node& node);

/// "blk.3" of "blk.3.attn_q", "enc.blk.3" of "enc.blk.3.attn_q", empty for a name outside of layers.
std::string_view layer_of_name(std::string_view name);
/// The layers of the graph's operations, in the order of their first ones.
std::vector<std::string> layers_of(const Graph& graph);

Tensor operator+(Tensor a, Tensor b);  // b may be a row vector or a column
Tensor operator*(Tensor a, Tensor b);  // likewise

}  // namespace skald
