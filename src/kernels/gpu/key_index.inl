// A sequence's key index on the device: its runs, and a page's codes of one dimension as numbers. See KeyIndexView and
// IndexColumns.
#pragma once

#include "kernels/gpu/rows.inl"

namespace skald::gpu {

/// The last run that begins at or before the position; null where there is none.
SIMT_DEV const IndexRun* last_run_from(const SequenceIndex& index, int64_t position) {
  int64_t low = 0, high = index.n_runs;  // the runs before `low` do, those from `high` on do not
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (index.runs[middle].first <= position)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? index.runs + low - 1 : nullptr;
}

SIMT_DEV const IndexPlace& place_of(const SequenceIndex& index, const IndexRun& run) {
  return index.places[static_cast<int>(run.length)];
}
/// A head's columns in a run.
SIMT_DEV std::byte* columns_of(const SequenceIndex& index, const IndexRun& run, int64_t head) {
  const IndexPlace& place = place_of(index, run);
  return run.data + place.offset + head * place.head_stride;
}

/// The bounds of a page's keys of d components: (2, d), the largest numbers, then the least ones.
SIMT_DEV simt::F16* bounds_of(const SequenceIndex& index, int64_t head, int64_t position, int64_t d) {
  const IndexRun& run = *last_run_from(index, position);
  return reinterpret_cast<simt::F16*>(columns_of(index, run, head) + place_of(index, run).bounds +
                                      (position - run.base) / kPageKeys * bounds_bytes(d));
}

/// A page of a head's keys in the index.
struct IndexPage {
  std::byte* columns;
  IndexColumns shape;
  int64_t first;  // of the run's keys

  SIMT_DEV IndexPage(const SequenceIndex& index, int64_t head, int64_t position)
      : IndexPage(index, *last_run_from(index, position), head, position) {}

  SIMT_DEV std::byte* codes(int64_t c) const { return columns + c * shape.stride() + shape.codes(first); }
  SIMT_DEV float& scale(int64_t c) const { return number(c, shape.scales()); }
  SIMT_DEV float& centre(int64_t c) const { return number(c, shape.centres()); }

 private:
  SIMT_DEV IndexPage(const SequenceIndex& index, const IndexRun& run, int64_t head, int64_t position)
      : columns(columns_of(index, run, head)),
        shape{place_of(index, run).run_keys, index.kind},
        first(position - run.base) {}
  SIMT_DEV float& number(int64_t c, int64_t numbers) const {
    return *reinterpret_cast<float*>(columns + c * shape.stride() + numbers + shape.numbers(first));
  }
};

/// Eight codes of a page as numbers, of which eight threads have all: key(part, j) says of which key number j is. What is
/// loaded is multiplied by `scale`, and `offset` is added.
template <KeyIndex kKind>
struct IndexCodes;

template <>
struct IndexCodes<KeyIndex::kInt4> {
  SIMT_DEV static int key(int part, int j) {
    return j < 4 ? 4 * part + j : static_cast<int>(kPageKeys) / 2 + 4 * part + j - 4;
  }
  SIMT_DEV static void load(const IndexPage& page, int64_t c, int part, float (&x)[8]) {
    const uint32_t pairs = reinterpret_cast<const uint32_t*>(page.codes(c))[part];
    const float scale = page.scale(c), offset = simt::fma1(-7.5f, scale, page.centre(c));
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const uint32_t code = pairs >> (j % 4 * 8 + j / 4 * 4) & 15;
      x[j] = simt::fma1(static_cast<float>(code), scale, offset);
    }
  }
};

template <>
struct IndexCodes<KeyIndex::kInt8> {
  SIMT_DEV static int key(int part, int j) { return 8 * part + j; }
  SIMT_DEV static void load(const IndexPage& page, int64_t c, int part, float (&x)[8]) {
    const simt::Words2 codes = simt::load_once8(page.codes(c) + 8 * part);
    const float scale = page.scale(c);
#pragma unroll
    for (int j = 0; j < 8; ++j) x[j] = static_cast<float>(static_cast<int8_t>(codes.w[j / 4] >> (j % 4 * 8) & 0xff)) * scale;
  }
};

template <>
struct IndexCodes<KeyIndex::kF16> {
  SIMT_DEV static int key(int part, int j) { return 8 * part + j; }
  SIMT_DEV static void load(const IndexPage& page, int64_t c, int part, float (&x)[8]) {
    const simt::Words4 halves = simt::load_once16(page.codes(c) + 16 * part);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const simt::Float2 two = simt::halves(halves.w[j]);
      x[2 * j] = two.x;
      x[2 * j + 1] = two.y;
    }
  }
};

/// Calls f.operator()<kind>() for an index's kind.
template <class F>
SIMT_DEV void with_kind(KeyIndex kind, F f) {
  if (kind == KeyIndex::kInt4)
    f.template operator()<KeyIndex::kInt4>();
  else if (kind == KeyIndex::kInt8)
    f.template operator()<KeyIndex::kInt8>();
  else
    f.template operator()<KeyIndex::kF16>();
}

}  // namespace skald::gpu
