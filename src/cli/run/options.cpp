#include "cli/run/options.h"

#include <algorithm>

namespace skald {

EngineOptions engine_options(const RunOptions& o, const Flags& flags) {
  EngineOptions e = o.compute.with(o.model);
  e.schedule.n_parallel = 1;
  e.cache.sparq = o.sparq.checked(o.compute);
  e.cache.static_shapes = o.static_shapes.checked(flags);
  check_usage([&] { e.check(); });
  return e;
}

int64_t context_for(const EngineOptions& e, int64_t n_prompt, int max_tokens, const Model& model) {
  if (e.cache.n_ctx || max_tokens <= 0 || e.schedule.context_shift || e.cache.static_shapes.on()) return e.cache.n_ctx;
  return std::min(n_prompt + std::max<int64_t>(max_tokens, 2 * e.cache.swa_sinks), model.n_ctx_train());
}

}  // namespace skald
