// Pieces of a run of the key index: where what belongs to some of its keys lies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/api/index_view.h"
#include "kernels/api/key_index.h"
#include "kv/spec.h"

namespace skald {

/// f(place, bytes) for all that a run keeps of its positions [first, end), multiples of kPageKeys: each column's codes and
/// scales, and pages' bounds.
template <class F>
void for_key_pieces(const KvSpec& spec, const KvGroup& group, const IndexRun& run, int64_t first, int64_t end, F f) {
  const int64_t at = first - run.base, n = end - first, page = at / kPageKeys, pages = n / kPageKeys;
  for (const int64_t slot : group.slots) {
    const KeyIndexView& index = spec.views[static_cast<size_t>(slot)].index;
    const AttentionState& attention = spec.attention(slot);
    const IndexColumns columns{index.place(run.length).run_keys, index.code_bytes()};
    for (int64_t head = 0; head < attention.n_kv_heads; ++head) {
      std::byte* const begin = index.head(run, head);
      for (int64_t d = 0; index.kind != KeyIndex::kNone && d < attention.d_k; ++d) {
        std::byte* const column = begin + d * columns.stride();
        f(column + at * columns.code_bytes, n * columns.code_bytes);
        f(column + columns.scales() + page * int64_t{sizeof(float)}, pages * int64_t{sizeof(float)});
      }
      const int64_t bounds = bounds_bytes(attention.d_k);
      if (index.has_bounds()) f(index.bounds(run, head) + page * bounds, pages * bounds);
    }
  }
}

/// f(ValueSum&, bytes) for the sums of values in a run; bytes with the values.
template <class F>
void for_sums(const KvSpec& spec, const KvGroup& group, const IndexRun& run, F f) {
  if (!group.value_sums) return;
  for (const int64_t slot : group.slots) {
    const KeyIndexView& index = spec.views[static_cast<size_t>(slot)].index;
    const AttentionState& attention = spec.attention(slot);
    const int64_t values = kv_columns(*spec.v_format, attention.d_v) * int64_t{sizeof(float)};
    for (int64_t head = 0; head < attention.n_kv_heads; ++head) f(index.sum(run, head), int64_t{sizeof(ValueSum)} + values);
  }
}

}  // namespace skald
