#include "engine/fingerprint.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

namespace skald {
namespace {

// How one group of layers lies in pages and runs.
void add_group(std::string& out, const KvSpec& spec, const KvGroup& group) {
  fmt::format_to(std::back_inserter(out), "window {} run {} sums {} slots", group.window, group.run_keys, group.value_sums);
  for (const int64_t slot : group.slots) {
    const AttentionState& a = spec.attention(slot);
    const KeyIndexView& index = spec.views[static_cast<size_t>(slot)].index;
    fmt::format_to(std::back_inserter(out), " {}:{}x{},{} index {} {}", slot, a.n_kv_heads, a.d_k, a.d_v,
                   static_cast<int>(index.kind), index.has_bounds());
  }
  out += '\n';
}

std::string storage_text(const KvCache& cache) {
  const KvSpec& spec = cache.spec();
  std::string out = fmt::format("{}\nstates {} sinks {} rows {}\n", describe(spec), spec.recurrent_floats,
                                cache.limits().sinks, cache.limits().max_rows);
  for (const KvGroup& group : spec.groups) add_group(out, spec, group);
  return out;
}

}  // namespace

Sha256Sum fingerprint(const LoadedModel& model, const Backend& backend, const DeviceOptions& device, const KvCache& cache) {
  const BackendInfo info = backend.info();
  const std::string text =
      fmt::format("{} {} numerics {} fused {} repack {}\n{}{}", device.device, info.isa, info.numerics, device.fused,
                  device.repack, storage_text(cache), backend.placement(model.build_graph({1, 1})));
  return sha256({model.fingerprint(), std::as_bytes(std::span(text))});
}

}  // namespace skald
