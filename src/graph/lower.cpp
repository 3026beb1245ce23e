#include "graph/lower.h"

#include "base/error.h"

namespace skald {
namespace {

class Lowering {
 public:
  Lowering(const std::function<bool(const OpDef&)>& supported) : supported_(supported) {}

  Graph run(const Graph& from) {
    Graph to = rebuild(from);
    // An expansion may use operations that need expanding themselves.
    while (!complete(to)) to = rebuild(to);
    return to;
  }

 private:
  bool complete(const Graph& g) const {
    for (const Node& n : g.nodes())
      if (n.source == Source::kOp && !supported_(*n.op)) return false;
    return true;
  }

  Graph rebuild(const Graph& from) const {
    Graph to;
    std::vector<Tensor> moved;
    for (const Node& node : from.nodes()) {
      std::vector<Tensor> in;
      in.reserve(node.inputs.size());
      for (int i : node.inputs) in.push_back({&to, moved[static_cast<size_t>(i)].id});
      moved.push_back(move(node, in, to));
    }
    to.kv_layers = from.kv_layers;
    to.prefix_end = from.prefix_end;
    if (from.output >= 0) to.output = moved[static_cast<size_t>(from.output)].id;
    for (int id : from.bound) to.bound.push_back(moved[static_cast<size_t>(id)].id);
    return to;
  }

  Tensor move(const Node& node, std::span<const Tensor> in, Graph& to) const {
    switch (node.source) {
      case Source::kInput:
        return to.input(node.name, node.out);
      case Source::kWeight:
        return to.weight(node.name, node.out.tensor());
      case Source::kOp:
        break;
    }
    if (supported_(*node.op)) return to.add(*node.op, node.attrs, in, node.name);
    if (!node.op->expand)
      fail(Errc::kUnsupported, "{} ({}): the backend has no kernel for it and it has no smaller form", node.op->name,
           node.name);
    return node.op->expand(to, node.attrs, in);
  }

  const std::function<bool(const OpDef&)>& supported_;
};

}  // namespace

Graph lower(const Graph& graph, const std::function<bool(const OpDef&)>& supported) {
  return Lowering(supported).run(graph);
}

}  // namespace skald
