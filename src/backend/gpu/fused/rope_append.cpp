// Keys that are rotated and stored, and queries that are rotated by the same table.
#include <algorithm>

#include "backend/gpu/fusion.h"
#include "backend/gpu/kv_append.h"
#include "backend/gpu/rope.h"
#include "graph/ops/kv_append.h"
#include "graph/ops/rope.h"

namespace skald {

using namespace gpu;

static bool is_rope(const Node& node) { return node.op == &op_rope && node.inputs.size() == 2; }

// Those that the same table rotates alike, between which and the store nothing reads them; -1: there are none.
static int find_queries(const Readers& readers, int keys, int last) {
  const Graph& graph = readers.graph();
  const Node& k = graph.node(keys);
  for (int id = last - 1; id >= 0; --id) {
    const Node& q = graph.node(id);
    if (id == keys || q.source != Source::kOp) continue;
    const bool alike = is_rope(q) && q.attrs.same_as(k.attrs) && q.inputs[1] == k.inputs[1];
    if (alike && std::ranges::none_of(readers.of(id), [&](int reader) { return reader <= last; })) return id;
    if (!is_rope(q) && !q.op->view_from) return -1;
  }
  return -1;
}

static std::vector<int> match(const Readers& readers, int last) {
  const Graph& graph = readers.graph();
  const Node& append = graph.node(last);
  if (append.op != &op_kv_append) return {};
  const int keys = append.inputs[0];
  const Node& k = graph.node(keys);
  if (!is_rope(k) || !readers.is_only(last, keys)) return {};
  if (k.attrs.get<Rope>().d_head * append.attrs.get<KvAppend>().n_kv_heads != k.out.shape.back()) return {};
  const int queries = find_queries(readers, keys, last);
  std::vector<int> all = {std::min(queries, keys), std::max(queries, keys), last}, without = {keys, last};
  if (queries >= 0 && are_neighbours(graph, all)) return all;
  return are_neighbours(graph, without) ? without : std::vector<int>();
}

static void record(const GpuContext& cx, std::span<const FusedNode> nodes) {
  const FusedNode& append = nodes.back();
  const auto& a = append.node.attrs.get<KvAppend>();
  RopeAppendArgs args{.append = kv_append_args(cx, a, append.io), .rope = {}};
  for (const FusedNode& one : nodes.first(nodes.size() - 1)) {
    RopeArgs rope = rope_args(one.node.attrs.get<Rope>(), one.io);
    if (one.id == append.node.inputs[0]) {
      args.append.k = rope.x;
      rope.heads = args.rope.heads;
      rope.x = args.rope.x;
      rope.out = args.rope.out;
    }
    args.rope = rope;
  }
  cx.kernels.rope_append(cx.stream, args, append.io.in[0].rows());
  append_to_index(cx, a, append.io, args.append);
}

extern const GpuFusion fused_rope_append;
const GpuFusion fused_rope_append = {match, record};

}  // namespace skald
