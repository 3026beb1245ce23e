#include "tools/doctor/shape_need.h"

#include <algorithm>
#include <array>

#include "graph/memory_plan.h"
#include "graph/profile.h"
#include "graph/row_tables.h"
#include "kv/cache.h"
#include "kv/spec.h"
#include "stepping/cache_options.h"

namespace skald {
namespace {

// As memory_need() counts them: tables of which a token reads a row need not be in memory.
int64_t weight_bytes(const Graph& graph) {
  int64_t sum = 0;
  for (const Node& node : graph.nodes())
    if (node.source == Source::kWeight) sum += node.out.tensor().bytes();
  for (const int id : row_tables(graph)) sum -= graph.node(id).out.tensor().bytes();
  return sum;
}

int64_t cache_bytes(const Graph& graph, const EngineOptions& o) {
  const KvStorage storage = storage_of(o.cache, graph.states);
  return most_bytes(make_kv_spec(graph.states, storage, o.cache.n_ctx), limits_of(o.cache, o.schedule));
}

}  // namespace

double token_bytes(const Graph& graph) {
  constexpr double kF16 = 2;
  const std::array sequences = {StepStats::Sequence{.rows = 1, .keys = 1}};
  StepStats stats{.n_tokens = 1, .n_outputs = 1, .sequences = sequences};
  stats.kv_element_bytes_k = stats.kv_element_bytes_v = kF16;
  return cost_of(graph, stats).bytes;
}

ShapeNeed shape_need(const SynthSpec& spec, const EngineOptions& options) {
  const int64_t rows = std::min(options.schedule.step_rows(), options.cache.n_ctx);
  const Graph step = shape_graph(spec, {.tokens = rows, .outputs = 1, .keys = options.cache.n_ctx});
  return {
      .memory = {.weights = weight_bytes(step), .cache = cache_bytes(step, options), .work = plan_memory(step).arena_bytes},
      .token_bytes = token_bytes(shape_graph(spec, {}))};
}

}  // namespace skald
