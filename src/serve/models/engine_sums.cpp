#include "serve/models/engine_sums.h"

namespace skald::serve {

void add_counters(EngineStatus& all, const EngineStatus& one) {
  all.preemptions += one.preemptions;
  all.prefix_evictions += one.prefix_evictions;
  all.prompt_tokens += one.prompt_tokens;
  all.prompt_tokens_ahead += one.prompt_tokens_ahead;
  all.cached_tokens += one.cached_tokens;
  all.disk_tokens += one.disk_tokens;
  all.generated_tokens += one.generated_tokens;
  all.guessed_tokens += one.guessed_tokens;
  all.right_guesses += one.right_guesses;
  all.cancelled += one.cancelled;
  all.prefilled += one.prefilled;
  all.prefilled_missed += one.prefilled_missed;
  all.sparq.read += one.sparq.read;
  all.sparq.dense += one.sparq.dense;
  all.sparq.tokens += one.sparq.tokens;
  all.sparq.measured += one.sparq.measured;
  all.sparq.known += one.sparq.known;
  all.sparq.nats += one.sparq.nats;
}

void add_gauges(EngineStatus& all, const EngineStatus& one) {
  all.waiting += one.waiting;
  all.running += one.running;
  all.paused += one.paused;
  all.unwritten_pages += one.unwritten_pages;
  all.pages.total += one.pages.total;
  all.pages.active += one.pages.active;
  all.pages.cached += one.pages.cached;
  all.pages.free += one.pages.free;
}

}  // namespace skald::serve
