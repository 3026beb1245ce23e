#include "stepping/cache_options.h"

#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "stepping/sparq_pilot.h"

namespace skald {

static KeyIndex index_named(std::string_view name) {
  if (name == "int4") return KeyIndex::kInt4;
  if (name == "int8") return KeyIndex::kInt8;
  return name == "f16" ? KeyIndex::kF16 : KeyIndex::kNone;
}

double component_bytes(const SparqParams& sparq, const KeySize& size) {
  const KeyIndex index = index_named(sparq.index_type());
  return index == KeyIndex::kNone ? size.k_bytes : IndexColumns::bytes_per_key(index);
}

// Sparse decoding picks single keys and may score all of them by a copy in another order.
KvStorage storage_of(const CacheOptions& cache, const std::vector<StateSpec>& states) {
  KvStorage storage{.k_type = cache.type_k, .v_type = cache.type_v, .layout = cache.layout, .rotate = cache.rotate};
  const SparqParams& sparq = cache.sparq;
  if (!sparq.on()) return storage;
  storage.single_keys = true;
  storage.index = index_named(sparq.index_type());
  const bool scores = sparq.selector != KeySelection::kPages;
  if (!scores) storage.index = KeyIndex::kNone;
  storage.page_bounds = sparq.selector != KeySelection::kSparq;
  storage.key_sums = scores && sparq.choice == SparqChoice::kSpread;
  storage.value_sums =
      std::ranges::any_of(attention_states(states), [&](const AttentionState& l) { return sparq.uses_mean(l.group); });
  return storage;
}

namespace {

// Shared prefixes may fill what is left beside the sequences that run.
int64_t sequences_of(const CacheOptions& cache, const ScheduleOptions& schedule) {
  if (!cache.share_prefixes || !cache.total_keys) return schedule.n_parallel;
  return std::max(schedule.n_parallel, ceil_div(cache.total_keys, cache.n_ctx));
}

}  // namespace

CacheOptions with_drafts(const EngineOptions& options) {
  CacheOptions cache = options.cache;
  if (options.guesses()) cache.rollback = std::max(cache.rollback, options.draft.most);
  if (const SparqParams sparq = options.draft.sparq(); sparq.on()) cache.sparq = sparq;
  return cache;
}

// With shared prefixes a window keeps a page more: a prompt that was read can be gone back to the last page's border that
// leaves a token to compute. A trial of sparse decoding goes back on a copy.
KvLimits limits_of(const CacheOptions& cache, const ScheduleOptions& schedule) {
  const bool shares = cache.share_prefixes;
  const int64_t copied = cache.sparq.measures() ? SparqPilot::kMostBack : 0;
  return {.max_keys = cache.n_ctx,
          .max_rows = std::min(schedule.step_rows(), cache.n_ctx),
          .n_sequences = sequences_of(cache, schedule),
          .total_keys = cache.total_keys,
          .sinks = cache.swa_sinks,
          .rollback = std::max({cache.rollback, shares ? kPageKeys : 0, copied}),
          .checkpoints = shares ? std::numeric_limits<int32_t>::max() : cache.checkpoints.most,
          .checkpoint_bytes = cache.checkpoints.mib << 20,
          .copied = copied,
          .lock = cache.lock};
}

}  // namespace skald
