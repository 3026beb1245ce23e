// CacheOptions as the cache takes them: the one place that tells kv/ what was asked for.
#pragma once

#include "kv/cache.h"
#include "skald/options.h"
#include "tensor/state_spec.h"

namespace skald {

/// Types of cached keys and values.
struct CacheTypes {
  const char *k, *v;
};
/// What users call small: the fewest bytes that cost at most 0.01 nats on three models (docs/long-context.md).
inline constexpr CacheTypes kSmallCache{"kc4", "q8_0"};

/// How keys and values are stored, for a model that keeps these states. Where sparse decoding is on, keys get an index.
KvStorage storage_of(const CacheOptions& cache, const std::vector<StateSpec>& states = {});

/// Returns the bytes that a component takes of each key that it scores: KeySize::component_bytes of this cache.
double component_bytes(const SparqParams& sparq, const KeySize& size);

/// With room in sliding windows to take guesses back, and laid out for sparse decoding where that makes them.
CacheOptions with_drafts(const EngineOptions& options);

/// What there is room for. `cache.n_ctx` is not 0.
KvLimits limits_of(const CacheOptions& cache, const ScheduleOptions& schedule);

}  // namespace skald
