#include "graph/pick_early.h"

#include <vector>

#include "graph/ops/pick_rows.h"
#include "graph/rewrite.h"

namespace skald {
namespace {

// The value that says which rows, where a graph picks rows in one way only; else -1.
int rows_of_picks(const Graph& graph) {
  int rows = -1;
  for (const Node& node : graph.nodes()) {
    if (node.op != &op_pick_rows) continue;
    if (rows >= 0 && node.inputs[1] != rows) return -1;
    rows = node.inputs[1];
  }
  return rows >= 0 && graph.node(rows).source == Source::kInput ? rows : -1;
}

class EarlyPicking {
 public:
  EarlyPicking(const Graph& from, int rows) : from_(from), rows_(rows), by_picked_(by_picked_rows()) {}

  Graph run() {
    return rewrite(from_, [this](Graph& to, int id, std::span<const int> moved) { return move(to, id, moved); });
  }

 private:
  static size_t at(int id) { return static_cast<size_t>(id); }
  bool has_rows(int id) const { return from_.node(id).out.rows == Rows::kTokens; }

  bool movable(int id) const {
    const Node& node = from_.node(id);
    return id > rows_ && node.source == Source::kOp && (node.op->by_rows || node.op->of_some_rows) && has_rows(id);
  }

  // Values of which every user wants the picked rows alone, and which can be computed from picked rows.
  std::vector<bool> by_picked_rows() const {
    std::vector<bool> picked(at(from_.size())), whole(at(from_.size()));
    for (const GraphOutput& out : from_.outputs()) whole[at(out.node)] = true;
    for (const int id : from_.bound) whole[at(id)] = true;
    for (int id = from_.size() - 1; id >= 0; --id) {
      const Node& node = from_.node(id);
      picked[at(id)] = picked[at(id)] && !whole[at(id)] && movable(id);
      const bool picks = picked[at(id)] || node.op == &op_pick_rows;
      for (const int i : node.inputs) (picks && has_rows(i) ? picked : whole)[at(i)] = true;
    }
    return picked;
  }

  Tensor move(Graph& to, int id, std::span<const int> moved) {
    const Node& node = from_.node(id);
    if (node.op == &op_pick_rows) return picked(to, node.inputs[0], moved);
    std::vector<Tensor> in;
    in.reserve(node.inputs.size());
    for (const int i : node.inputs)
      in.push_back(by_picked_[at(id)] && has_rows(i) ? picked(to, i, moved) : Tensor{&to, moved[at(i)]});
    if (!by_picked_[at(id)] || !node.op->of_some_rows) return to.add(*node.op, node.attrs, in, node.name);
    in.push_back({&to, moved[at(rows_)]});
    return to.add(*node.op, node.op->of_some_rows(node.attrs), in, node.name);
  }

  Tensor picked(Graph& to, int id, std::span<const int> moved) {
    const Tensor value{&to, moved[at(id)]}, rows{&to, moved[at(rows_)]};
    return by_picked_[at(id)] ? value : to.add_once(op_pick_rows, Attrs(NoAttrs{}), {{value, rows}}, "output_rows");
  }

  const Graph& from_;
  const int rows_;
  const std::vector<bool> by_picked_;
};

}  // namespace

Graph pick_early(const Graph& graph) {
  const int rows = rows_of_picks(graph);
  return rows < 0 ? graph : EarlyPicking(graph, rows).run();
}

}  // namespace skald
