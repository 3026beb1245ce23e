#include "tools/report/graph_file.h"

#include <fmt/format.h>

#include "graph/dot.h"
#include "graph/memory_plan.h"
#include "io/output_file.h"

namespace skald {

GraphSummary write_graph(const LoadedModel& model, int64_t batch, const std::string& path) {
  const Graph graph = model.build_graph({batch, batch});
  const MemoryPlan plan = plan_memory(graph);
  const std::string dot = to_dot(graph, fmt::format("{} ({}), steps of up to {} tokens", model.name(), model.arch(), batch));
  OutputFile file(path);
  file.write(std::as_bytes(std::span(dot)));
  file.commit();
  return {graph.size(), plan.arena_bytes, plan.total_bytes};
}

}  // namespace skald
