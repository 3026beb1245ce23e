#include "graph/pick_early.h"

#include <map>

#include "graph/ops/pick_rows.h"

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
    for (int id = 0; id < from_.size(); ++id) moved_.push_back(move(id));
    to_.kv_layers = from_.kv_layers;
    to_.prefix_end = from_.prefix_end;
    if (from_.output >= 0) to_.output = moved_[at(from_.output)];
    for (const int id : from_.bound) to_.bound.push_back(moved_[at(id)]);
    return std::move(to_);
  }

 private:
  static size_t at(int id) { return static_cast<size_t>(id); }
  bool has_rows(int id) const { return from_.node(id).out.rows == Rows::kTokens; }

  bool movable(int id) const {
    const Node& node = from_.node(id);
    return id > rows_ && node.source == Source::kOp && node.op->by_rows && has_rows(id);
  }

  // Values of which every user wants the picked rows alone, and which can be computed from picked rows.
  std::vector<bool> by_picked_rows() const {
    std::vector<bool> picked(at(from_.size())), whole(at(from_.size()));
    if (from_.output >= 0) whole[at(from_.output)] = true;
    for (const int id : from_.bound) whole[at(id)] = true;
    for (int id = from_.size() - 1; id >= 0; --id) {
      const Node& node = from_.node(id);
      picked[at(id)] = picked[at(id)] && !whole[at(id)] && movable(id);
      const bool picks = picked[at(id)] || node.op == &op_pick_rows;
      for (const int i : node.inputs) (picks && has_rows(i) ? picked : whole)[at(i)] = true;
    }
    return picked;
  }

  int move(int id) {
    const Node& node = from_.node(id);
    if (node.source == Source::kInput) return to_.input(node.name, node.out).id;
    if (node.source == Source::kWeight) return to_.weight(node.name, node.out.tensor()).id;
    if (node.op == &op_pick_rows) return picked(node.inputs[0]);
    std::vector<Tensor> in;
    in.reserve(node.inputs.size());
    for (const int i : node.inputs) in.push_back({&to_, by_picked_[at(id)] && has_rows(i) ? picked(i) : moved_[at(i)]});
    return to_.add(*node.op, node.attrs, in, node.name).id;
  }

  int picked(int id) {
    const Tensor all{&to_, moved_[at(id)]}, rows{&to_, moved_[at(rows_)]};
    if (by_picked_[at(id)]) return all.id;
    const auto [it, is_new] = picks_.try_emplace(id, -1);
    if (is_new) it->second = to_.add(op_pick_rows, Attrs(NoAttrs{}), {all, rows}, "output_rows").id;
    return it->second;
  }

  const Graph& from_;
  const int rows_;
  const std::vector<bool> by_picked_;
  Graph to_;
  std::vector<int> moved_;    // ids in from_ -> to_
  std::map<int, int> picks_;  // likewise, of the picked rows
};

}  // namespace

Graph pick_early(const Graph& graph) {
  const int rows = rows_of_picks(graph);
  return rows < 0 ? graph : EarlyPicking(graph, rows).run();
}

}  // namespace skald
