#include "backend/cpu/packed_weights.h"

#include <algorithm>
#include <vector>

#include "graph/ops/linear.h"
#include "quant/panels.h"

namespace skald {
namespace {

constexpr int64_t kPanelGrain = 4;  // panels that a thread packs at least

struct Job {
  int node;
  const PanelLayout* layout;
  bool rows_needed;
};

// What matmuls read, each weight once.
std::vector<Job> jobs_of(const Graph& graph, const WeightData& weights) {
  std::vector<bool> multiplied(static_cast<size_t>(graph.size())), read_otherwise(multiplied);
  for (const Node& node : graph.nodes())
    for (size_t i = 0; i < node.inputs.size(); ++i)
      (node.op == &op_linear && i == 1 ? multiplied : read_otherwise)[static_cast<size_t>(node.inputs[i])] = true;
  std::vector<Job> jobs;
  for (int id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.source != Source::kWeight || !multiplied[static_cast<size_t>(id)] || weights(node.name).panels) continue;
    if (const PanelLayout* layout = find_panels(*node.out.format))
      jobs.push_back({id, layout, read_otherwise[static_cast<size_t>(id)]});
  }
  return jobs;
}

Buffer pack(const PanelLayout& layout, const TensorDesc& w, const std::byte* rows, ThreadPool& pool) {
  const int64_t n = w.shape.rows(), k = w.shape.back(), panel_bytes = layout.panel_bytes(k);
  Buffer out(layout.bytes(n, k));
  pool.guided((n + kPanelRows - 1) / kPanelRows, kPanelGrain, [&](int64_t begin, int64_t end, int) {
    for (int64_t p = begin; p < end; ++p)
      layout.pack({.rows = rows + p * kPanelRows * w.row_bytes(),
                   .row_bytes = w.row_bytes(),
                   .n_rows = std::min(kPanelRows, n - p * kPanelRows),
                   .k = k},
                  out.data() + p * panel_bytes);
  });
  return out;
}

}  // namespace

PackedWeights::PackedWeights(const Graph& graph, const WeightData& weights, ThreadPool& pool,
                             const std::function<void(const PackedWeight&)>& said) {
  const std::vector<Job> jobs = jobs_of(graph, weights);
  double total = 0, done = 0;
  for (const Job& job : jobs) total += static_cast<double>(graph.node(job.node).out.tensor().bytes());
  for (const Job& job : jobs) {
    const Node& node = graph.node(job.node);
    const TensorDesc desc = node.out.tensor();
    weights_.emplace(node.name, Packed{pack(*job.layout, desc, weights(node.name).rows, pool), job.rows_needed});
    done += static_cast<double>(desc.bytes());
    said({node.name, job.rows_needed, done / total});
  }
}

const PackedWeights::Packed* PackedWeights::find(std::string_view name) const {
  const auto it = weights_.find(std::string(name));
  return it == weights_.end() ? nullptr : &it->second;
}

}  // namespace skald
