#include "stepping/sparq_layers.h"

#include <algorithm>

#include "graph/ops/kv_append.h"

namespace skald {
namespace {

// What is the same in layers that are told of together.
struct Kind {
  int64_t window, d_k, d_v;
  KeyIndex index;
  bool basis;
  friend bool operator==(const Kind&, const Kind&) = default;
};

SparqLayers layers_of(const SparqParams& params, const Kind& kind, const KvSpec& spec, const KvLimits& limits) {
  const int64_t most = kind.window ? std::min(kind.window + limits.sinks, limits.max_keys) : limits.max_keys;
  const double key = spec.key_number_bytes();
  const KeySize size{kind.d_k,
                     kind.d_v,
                     key,
                     spec.v_format->bytes_per_number(),
                     kind.index == KeyIndex::kNone ? key : IndexColumns::bytes_per_key(kind.index),
                     kind.basis};
  const SparqParams::Choice longest = params.choose(most, size);
  return {.window = kind.window,
          .most_keys = most,
          .from = params.sparse_from(size).value_or(0),
          .k1 = longest.k1,
          .k2 = longest.k2};
}

}  // namespace

std::vector<bool> slots_with_basis(const Graph& graph) {
  std::vector<bool> out(graph.states.size());
  for (const Node& node : graph.nodes())
    if (node.op == &op_kv_append && node.attrs.get<KvAppend>().basis) out[static_cast<size_t>(slot_of(node))] = true;
  return out;
}

std::vector<SparqLayers> sparq_layers(const SparqParams& params, const KvSpec& spec, const KvLimits& limits,
                                      const std::vector<bool>& bases) {
  std::vector<Kind> kinds;
  std::vector<SparqLayers> out;
  if (!params.on()) return out;
  for (size_t slot = 0; slot < spec.slots.size(); ++slot) {
    if (spec.group_of[slot] == KvSpec::kNoGroup) continue;
    const AttentionState& a = std::get<AttentionState>(spec.slots[slot]);
    const Kind kind{spec.groups[spec.group_of[slot]].window, a.d_k, a.d_v, spec.views[slot].index.kind,
                    !bases.empty() && bases[slot]};
    const auto i = std::ranges::find(kinds, kind) - kinds.begin();
    if (i == std::ssize(kinds)) {
      kinds.push_back(kind);
      out.push_back(layers_of(params, kind, spec, limits));
    }
    ++out[static_cast<size_t>(i)].layers;
  }
  return out;
}

}  // namespace skald
