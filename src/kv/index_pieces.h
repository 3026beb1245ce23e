// Pieces of a run of the key index: where what belongs to some of its keys lies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/api/index_view.h"
#include "kernels/api/key_index.h"
#include "kv/pieces.h"
#include "kv/spec.h"

namespace skald {

/// Columns of a run, in each its codes, scales and centres; or plain bytes, which have no others.
struct RunColumns {
  Strip codes;
  Strip scales = {}, centres = {};

  int64_t bytes() const { return codes.size() + scales.size() + centres.size(); }
};

/// f(const RunColumns&) for all that a run keeps of its positions [first, end), multiples of kPageKeys: the columns of each
/// head, and pages' bounds.
template <class F>
void for_key_columns(const KvSpec& spec, const KvGroup& group, const IndexRun& run, int64_t first, int64_t end, F f) {
  const int64_t at = first - run.base, n = end - first, page = at / kPageKeys, pages = n / kPageKeys;
  for (const int64_t slot : group.slots) {
    const KeyIndexView& index = spec.views[static_cast<size_t>(slot)].index;
    const AttentionState& attention = spec.attention(slot);
    const IndexColumns columns = index.columns(run.length);
    for (int64_t head = 0; head < attention.n_kv_heads; ++head) {
      std::byte* const begin = index.head(run, head);
      if (index.kind != KeyIndex::kNone) {
        const auto strip = [&](int64_t from, int64_t bytes) {
          return Strip{begin + from, bytes, attention.d_k, columns.stride()};
        };
        const auto numbers = [&](int64_t from) { return strip(from + columns.numbers(at), columns.numbers(n)); };
        f(RunColumns{strip(columns.codes(at), columns.codes(n)), numbers(columns.scales()),
                     columns.has_centres() ? numbers(columns.centres()) : Strip{}});
      }
      const int64_t bounds = bounds_bytes(attention.d_k);
      if (index.has_bounds()) f(RunColumns{Strip{index.bounds(run, head) + page * bounds, pages * bounds}});
    }
  }
}

/// Adds the columns, which take turns in `bytes`, to those that are read or written.
template <class Pieces, class Span>
void add_columns(Pieces& pieces, Span bytes, const RunColumns& columns) {
  const int64_t step = columns.codes.bytes + columns.scales.bytes + columns.centres.bytes;
  int64_t at = 0;
  for (const Strip& strip : {columns.codes, columns.scales, columns.centres}) {
    if (strip.bytes) pieces.add(bytes.data() + at, step, strip);
    at += strip.bytes;
  }
}

inline std::byte* raw(ValueSum& sum) { return reinterpret_cast<std::byte*>(&sum); }

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
