#include "tools/report/graph_file.h"

#include <fmt/format.h>

#include <utility>

#include "backend/backend.h"
#include "graph/dot.h"
#include "graph/memory_plan.h"
#include "io/output_file.h"
#include "stepping/gpu_layers.h"

namespace skald {

// As it runs on the devices; on the CPU alone as the model describes it.
static PlacedGraph placed(const LoadedModel& model, Graph graph, const DeviceOptions& device) {
  if (device.device == "cpu") return {.graph = std::move(graph)};
  EngineOptions options;
  options.device = device;
  return make_backend(with_gpu_layers(model, std::move(options)).device)->placed(graph);
}

static int64_t operations_on(const PlacedGraph& p, size_t device) {
  int64_t n = 0;
  for (int id = 0; id < p.graph.size(); ++id)
    n += p.graph.node(id).source == Source::kOp && p.devices[static_cast<size_t>(id)] == device;
  return n;
}

GraphSummary write_graph(const LoadedModel& model, int64_t batch, const DeviceOptions& device, const std::string& path) {
  const PlacedGraph p = placed(model, model.build_graph({batch, batch}), device);
  const Graph& graph = p.graph;
  const MemoryPlan plan = plan_memory(graph);
  std::string title = fmt::format("{} ({}), steps of up to {} tokens", model.name(), model.arch(), batch);
  for (size_t i = 0; i < p.names.size(); ++i)
    title += fmt::format("{}{} on {}", i ? ", " : "; operations: ", operations_on(p, i), p.names[i]);
  const std::string dot = to_dot(graph, title, p.devices);
  OutputFile file(path);
  file.write(std::as_bytes(std::span(dot)));
  file.commit();
  return {graph.size(), plan.arena_bytes, plan.total_bytes};
}

}  // namespace skald
