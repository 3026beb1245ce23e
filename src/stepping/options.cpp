#include "skald/options.h"

#include <limits>
#include <utility>

#include "base/cpu_placement.h"
#include "base/error.h"
#include "base/want.h"
#include "stepping/cache_options.h"

namespace skald {
namespace {

constexpr int64_t kMostKeys = std::numeric_limits<int32_t>::max();  // positions have 32 bits

void want_keys(int64_t n, const char* name, const char* none) {
  if (n < 0 || n > kMostKeys) fail(Errc::kBadInput, "{}: want 0{} to {}", name, none, kMostKeys);
}

// What asks for more than a static cache can do.
void check_static(const EngineOptions& o) {
  const CacheOptions& cache = o.cache;
  const std::pair<bool, const char*> others[] = {{cache.sparq.on(), "cache.sparq"},
                                                 {o.schedule.context_shift, "schedule.context_shift"},
                                                 {o.schedule.n_parallel != 1, "schedule.n_parallel"},
                                                 {cache.swa_sinks != 0, "cache.swa_sinks"},
                                                 {cache.rollback != 0, "cache.rollback"},
                                                 {cache.total_keys != 0, "cache.total_keys"},
                                                 {cache.share_prefixes, "cache.share_prefixes"},
                                                 {o.draft.on(), "draft.kind"},
                                                 {!o.device.fused, "device.fused = false"},
                                                 {cache.type_k != "f16", "cache.type_k: see cache.static_shapes.bits"},
                                                 {cache.type_v != "f16", "cache.type_v: see cache.static_shapes.bits"},
                                                 {cache.layout != "auto", "cache.layout"}};
  for (const auto& [given, field] : others)
    if (given) fail(Errc::kBadInput, "cache.static_shapes does not go with {}", field);
}

}  // namespace

void DeviceOptions::check() const { plan_threads(*this, this_machine()); }

void CheckpointOptions::check() const {
  want(most >= 0 && most <= 4096, "cache.checkpoints.most", "0 to 4096");
  want(step >= 0 && step <= kMostKeys, "cache.checkpoints.step", "0 (none) to 2147483647");
  want(mib >= 0 && mib <= int64_t{1} << 30, "cache.checkpoints.mib", "0 or more");
}

void CacheOptions::check() const {
  want_keys(n_ctx, "cache.n_ctx", " (the model's)");
  want_keys(swa_sinks, "cache.swa_sinks", "");
  want_keys(total_keys, "cache.total_keys", " (n_ctx for each sequence)");
  want_keys(rollback, "cache.rollback", "");
  checkpoints.check();
  skald::check(storage_of(*this));
  sparq.check();
  if (static_shapes.on()) static_shapes.check();
}

void DraftOptions::check() const { want(most >= 1 && most <= 64, "draft.most", "1 to 64"); }

void ScheduleOptions::check() const {
  want(n_parallel >= 1 && n_parallel <= 4096, "schedule.n_parallel", "1 to 4096");
  want(n_ubatch >= 1 && n_ubatch <= 65536, "schedule.n_ubatch", "1 to 65536");
  want(n_batch >= 1, "schedule.n_batch", "1 or more");
  want(max_waiting >= -1, "schedule.max_waiting", "-1 (any number) or more");
  want(max_itl_ms >= 0 && max_itl_ms <= 1e9, "schedule.max_itl_ms", "0 (no bound) to 1e9");
}

void EngineOptions::check() const {
  device.check();
  cache.check();
  schedule.check();
  draft.check();
  if (!device.fused && cache.sparq.on()) fail(Errc::kBadInput, "cache.sparq does not go with device.fused = false");
  if (cache.static_shapes.on()) check_static(*this);
  if (prefix_store && !cache.share_prefixes) fail(Errc::kBadInput, "prefix_store needs cache.share_prefixes");
  if (cache.slot_files && !cache.share_prefixes) fail(Errc::kBadInput, "cache.slot_files needs cache.share_prefixes");
}

}  // namespace skald
