#include "backend/cpu/packing.h"

#include <algorithm>
#include <atomic>

#include "tensor/finite.h"

namespace skald {
namespace {

constexpr int64_t kPanelGrain = 4;  // panels that a thread packs at least

// How a weight is used.
struct Uses {
  const Node* matmul = nullptr;  // the first
  bool others = false;
};

std::vector<Uses> uses_of(const Graph& graph) {
  std::vector<Uses> uses(static_cast<size_t>(graph.size()));
  for (const Node& node : graph.nodes())
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      Uses& input = uses[static_cast<size_t>(node.inputs[i])];
      if (!node.op->is_factor(i))
        input.others = true;
      else if (!input.matmul)
        input.matmul = &node;
    }
  return uses;
}

}  // namespace

std::vector<PackJob> pack_jobs(const Graph& graph, const std::function<bool(std::string_view name)>& in_panels) {
  const std::vector<Uses> uses = uses_of(graph);
  std::vector<PackJob> jobs;
  for (int id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    const Uses& use = uses[static_cast<size_t>(id)];
    if (node.source != Source::kWeight || !use.matmul || in_panels(node.name)) continue;
    if (const PanelLayout* layout = find_panels(*node.out.format))
      jobs.push_back({id, node.name, use.matmul->name, node.out.tensor(), layout, use.others});
  }
  return jobs;
}

Buffer pack(const PackJob& job, const std::byte* rows, ThreadPool& pool) {
  const Shape& shape = job.desc.shape;
  const int64_t matrices = matrices_of(shape), n = shape.rows() / matrices, k = shape.back(),
                row_bytes = job.desc.row_bytes(), panels = job.layout->panels(n), panel_bytes = job.layout->panel_bytes(k);
  Buffer out(job.layout->bytes(shape));
  std::atomic<bool> finite = true;
  pool.guided(matrices * panels, kPanelGrain, [&](int64_t begin, int64_t end, int) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t matrix = p / panels, row = p % panels * kPanelRows;
      job.layout->pack({.rows = rows + (matrix * n + row) * row_bytes,
                        .row_bytes = row_bytes,
                        .n_rows = std::min(kPanelRows, n - row),
                        .k = k},
                       out.data() + p * panel_bytes);
      const int64_t here = std::min(kPanelRows, n - row);  // which are in the cache now
      if (!all_finite(*job.desc.format, rows + (matrix * n + row) * row_bytes, here * k)) finite = false;
    }
  });
  if (!finite) want_finite(job.name, *job.desc.format, {rows, static_cast<size_t>(job.desc.bytes())}, k);
  return out;
}

}  // namespace skald
