#include "stepping/memory_need.h"

#include <algorithm>

#include "graph/memory_plan.h"
#include "graph/row_tables.h"
#include "kv/cache.h"
#include "kv/spec.h"
#include "kv/static_spec.h"
#include "stepping/cache_options.h"

namespace skald {
namespace {

constexpr int64_t kStep = 256;    // contexts that fit are multiples of it
constexpr int64_t kUseful = 512;  // a shorter one is of no use
constexpr int64_t kSpare = 16;    // one part in this many is left to others, where the context is ours to choose

int64_t cache_bytes(const LoadedModel& model, const EngineOptions& o) {
  const StaticParams& shapes = o.cache.static_shapes;
  if (shapes.on())
    return static_kv_size({.layers = attention_states(model.states()),
                           .context = shapes.context,
                           .element_bytes = shapes.bits / 8,
                           .reserve = static_reserve(shapes.reserve)})
        .bytes;
  const CacheOptions cache = with_drafts(o);
  KvStorage storage = storage_of(cache, model.states());
  storage.layout = "auto";  // keys take as many bytes in all of them
  const KvLimits limits = limits_of(cache, o.schedule);
  const int64_t ahead = o.draft.mtp() ? most_bytes(make_kv_spec(model.states_ahead(), storage, o.cache.n_ctx), limits) : 0;
  return most_bytes(make_kv_spec(model.states(), storage, o.cache.n_ctx), limits) + ahead;
}

int64_t work_bytes(const LoadedModel& model, const EngineOptions& o) {
  const int64_t rows = o.cache.static_shapes.on() ? 1 : std::min(o.schedule.step_rows(), o.cache.n_ctx);
  return plan_memory(model.build_graph({.tokens = rows, .outputs = 1, .keys = o.cache.n_ctx})).arena_bytes;
}

// Tables of which a token reads a row need not be in memory, and layers that nothing asks for are not read.
int64_t weight_bytes(const LoadedModel& model, const EngineOptions& o) {
  const Graph graph = model.build_graph({1, 1});
  int64_t unread = o.draft.mtp() ? 0 : model.bytes_ahead();
  for (const int id : row_tables(graph)) unread += graph.node(id).out.tensor().bytes();
  return std::max<int64_t>(0, model.file_bytes() - unread);
}

EngineOptions with_context(EngineOptions options, int64_t n_ctx) {
  options.cache.n_ctx = n_ctx;
  return options;
}

// The most multiples of `step` tokens up to `most` whose cache fits into `room`; 0: none. It grows with them.
int64_t longest_that_fits(const LoadedModel& model, const OptionsFor& options, int64_t step, int64_t most, int64_t room) {
  int64_t fits = 0, does_not = most / step + 1;
  while (does_not - fits > 1) {
    const int64_t middle = fits + (does_not - fits) / 2;
    (cache_bytes(model, options(middle * step)) <= room ? fits : does_not) = middle;
  }
  return fits * step;
}

}  // namespace

MemoryNeed memory_need(const LoadedModel& model, const EngineOptions& options) {
  return {.weights = weight_bytes(model, options), .cache = cache_bytes(model, options), .work = work_bytes(model, options)};
}

FittingContext fitting_context(const LoadedModel& model, const EngineOptions& options, int64_t memory) {
  const int64_t wanted = options.cache.n_ctx;
  FittingContext out{.n_ctx = wanted, .need = memory_need(model, options)};
  if (out.need.all() <= memory) return out;
  const int64_t useful = std::min(wanted, kUseful);
  const int64_t least = out.need.work + cache_bytes(model, with_context(options, useful));
  out.streams = out.need.weights > 0 && least <= memory && out.need.weights + least > memory;
  const int64_t taken = out.need.work + (out.streams ? 0 : out.need.weights);
  if (out.need.cache + taken <= memory) return out;
  out.n_ctx = longest_that_fits(
      model, [&](int64_t n_ctx) { return with_context(options, n_ctx); }, kStep, wanted, memory - memory / kSpare - taken);
  if (out.n_ctx < useful) out.n_ctx = least + (out.streams ? 0 : out.need.weights) <= memory ? useful : 0;
  return out;
}

// Weights that do not fit at all come from their file again and again, and take no room from the cache.
FittingContext fitting_cache(const LoadedModel& model, int64_t tokens, const OptionsFor& options, int64_t memory) {
  FittingContext out{.n_ctx = tokens, .need = memory_need(model, options(tokens))};
  out.streams = out.need.weights >= memory / 2;
  const int64_t room = memory - memory / kSpare - out.need.work - (out.streams ? 0 : out.need.weights);
  if (out.need.cache > room) out.n_ctx = longest_that_fits(model, options, kPageKeys, tokens, room);
  return out;
}

}  // namespace skald
