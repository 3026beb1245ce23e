#include "graph/lower.h"

#include "base/error.h"
#include "graph/rewrite.h"

namespace skald {
namespace {

class Lowering {
 public:
  Lowering(const std::function<bool(const Graph&, const Node&)>& supported) : supported_(supported) {}

  Graph run(const Graph& from) {
    Graph to = rebuild(from);
    // An expansion may use operations that need expanding themselves.
    while (!complete(to)) to = rebuild(to);
    return to;
  }

 private:
  bool complete(const Graph& g) const {
    for (const Node& n : g.nodes())
      if (n.source == Source::kOp && !supported_(g, n)) return false;
    return true;
  }

  Graph rebuild(const Graph& from) const {
    return rewrite(from, [&](Graph& to, int id, std::span<const int> moved) {
      const Node& node = from.node(id);
      std::vector<Tensor> in;
      in.reserve(node.inputs.size());
      for (int i : node.inputs) in.push_back({&to, moved[static_cast<size_t>(i)]});
      return move(from, node, in, to);
    });
  }

  Tensor move(const Graph& from, const Node& node, std::span<const Tensor> in, Graph& to) const {
    if (supported_(from, node)) return to.add(*node.op, node.attrs, in, node.name);
    if (!node.op->expand)
      fail(Errc::kUnsupported, "{} ({}): the backend has no kernel for it and it has no smaller form", node.op->name,
           node.name);
    return node.op->expand(to, node.attrs, in);
  }

  const std::function<bool(const Graph&, const Node&)>& supported_;
};

}  // namespace

Graph lower(const Graph& graph, const std::function<bool(const Graph&, const Node&)>& supported) {
  return Lowering(supported).run(graph);
}

}  // namespace skald
