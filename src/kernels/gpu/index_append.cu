// Copies pages of keys that became full into the index, dimension by dimension, and sums up values: what sparse decoding
// reads. After kv_append. Bound: the bytes of the pages, and of their codes.
#include "kernels/gpu/cache_blocks.inl"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/sparq.h"
#include "kernels/gpu/value_sums.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 128;

struct Shared {
  using Keys = float[kPageKeys][kMaxSparseColumns + 1];
  Keys keys, turned;  // of a page: as they came, and by the components of a basis
};

/// Keys as they were before the cache's transform, which is its own inverse.
SIMT_DEV void load_page(const SequenceKv& kv, int64_t head, int64_t slot, int64_t d, Shared& s) {
  const int64_t columns = cached_columns(kv.k_format, d);
  for (int64_t i = simt::thread(); i < kPageKeys * columns; i += kThreads)
    s.keys[i / columns][i % columns] = load_cached(key_of(kv, head, slot + i / columns), i % columns);
  simt::sync_block();
  if (!kv.k_rotated) return;
  for (auto& key : s.keys) hadamard(key, columns);
}

/// Keys by the components of a head's basis (d, d). By all threads, each of which has components.
SIMT_DEV void turn_page(const float* basis, int64_t d, Shared& s) {
  for (int64_t c = simt::thread(); c < d; c += kThreads)
    for (int i = 0; i < kPageKeys; ++i) {
      float sum = 0;
      for (int64_t j = 0; j < d; ++j) sum = simt::fma1(basis[c * d + j], s.keys[i][j], sum);
      s.turned[i][c] = sum;
    }
}

/// The codes of one dimension.
SIMT_DEV void store_halves(const Shared::Keys& keys, const IndexPage& page, int64_t c) {
  auto* codes = reinterpret_cast<simt::F16*>(page.codes(c));
  for (int i = 0; i < kPageKeys; ++i) codes[i] = simt::to_f16(keys[i][c]);
}
SIMT_DEV void store_bytes(const Shared::Keys& keys, const IndexPage& page, int64_t c) {
  float most = 0;
  for (const auto& key : keys) most = simt::largest(simt::magnitude(key[c]), most);
  const float scale = most / 127, inverse = inverse_of(scale);
  auto* codes = reinterpret_cast<int8_t*>(page.codes(c));
  for (int i = 0; i < kPageKeys; ++i)
    codes[i] = static_cast<int8_t>(at_least(at_most(simt::round_int(finite_or_0(keys[i][c] * inverse)), 127), -127));
  page.scale(c) = scale;
}
SIMT_DEV void store_nibbles(const Shared::Keys& keys, const IndexPage& page, int64_t c) {
  float least = keys[0][c], most = least;
  for (const auto& key : keys) {
    most = simt::largest(key[c], most);
    least = -simt::largest(-key[c], -least);
  }
  const float range = (most - least) / 15, inverse = inverse_of(range);
  const auto code = [&](int i) {
    return at_least(at_most(simt::round_int(finite_or_0((keys[i][c] - least) * inverse)), 15), 0);
  };
  auto* pairs = reinterpret_cast<uint8_t*>(page.codes(c));
  constexpr int kHalf = kPageKeys / 2;
  for (int i = 0; i < kHalf; ++i) pairs[i] = static_cast<uint8_t>(code(i) | code(i + kHalf) << 4);
  page.scale(c) = inverse > 0 ? range : 0;
  page.centre(c) = 0.5f * (least + most);
}

/// The nearest 16-bit number that is not less than x.
SIMT_DEV simt::F16 half_from_above(float x) {
  constexpr float kMost = 65504;
  const float least = at_least(at_most(x, kMost), -kMost);
  const simt::F16 half = simt::to_f16(least);
  if (!(simt::to_float(half) < least)) return half;
  if (half.bits == 0x8000) return {1};
  return {static_cast<uint16_t>(half.bits & 0x8000 ? half.bits - 1 : half.bits + 1)};
}
SIMT_DEV void store_bounds(const SequenceIndex& index, int64_t head, int64_t position, int64_t d, const Shared& s) {
  simt::F16* const row = bounds_of(index, head, position, d);
  for (int64_t c = simt::thread(); c < d; c += kThreads) {
    float most = s.keys[0][c], below = -most;
    for (const auto& key : s.keys) {
      most = simt::largest(key[c], most);
      below = simt::largest(-key[c], below);
    }
    row[c] = half_from_above(most);
    row[d + c] = {static_cast<uint16_t>(half_from_above(below).bits ^ 0x8000)};
  }
}

SIMT_DEV void store_page(const IndexAppendArgs& a, const SequenceKv& kv, int64_t head, int64_t position, Shared& s) {
  const int64_t d = a.d_k;
  load_page(kv, head, position - kv.shift, d, s);
  if (kv.index.places[0].bounds) store_bounds(kv.index, head, position, d, s);
  if (kv.index.kind == KeyIndex::kNone) return;
  if (a.basis) turn_page(a.basis + head * d * d, d, s);
  const Shared::Keys& keys = a.basis ? s.turned : s.keys;
  const IndexPage page(kv.index, head, position);
  for (int64_t c = simt::thread(); c < d; c += kThreads) {
    if (kv.index.kind == KeyIndex::kInt4)
      store_nibbles(keys, page, c);
    else if (kv.index.kind == KeyIndex::kInt8)
      store_bytes(keys, page, c);
    else
      store_halves(keys, page, c);
  }
}

// Values that were taken back after they were summed up are found out before the step's own come. Of a step of generated
// tokens, each row's mean ends with its own value: its attention adds it. But a block of values that is full is summed up
// while its run is this sequence's own.
SIMT_DEV void sum_up(const IndexAppendArgs& a, const SequenceKv& kv, const SequenceRows& rows, int64_t head) {
  if (!has_sums(kv.index)) return;
  const int64_t first = a.step.positions[rows.first], end = first + rows.n, columns = cached_columns(kv.v_format, a.d_v);
  const bool fills = rows.n == 1 && end % block_keys(kv.index) == 0;
  sum_values(kv, head, columns, first);
  if (!kv.generated || fills) sum_values(kv, head, columns, end);
}

// A block is (row, KV head).
SIMT_KERNEL void index_append(IndexAppendArgs a) {
  Shared& s = simt::shared<Shared>();
  const int row = simt::block_x(), head = simt::block_y();
  if (!begin_row(a.rows, row)) return;
  const int sequence = a.step.sequences[row];
  const SequenceKv& kv = a.step.kv[sequence];
  const int64_t end = a.step.positions[row] + 1;
  if (a.step.rows[sequence].first == row) sum_up(a, kv, a.step.rows[sequence], head);
  if ((kv.index.kind != KeyIndex::kNone || kv.index.places[0].bounds) && end % kPageKeys == 0)
    store_page(a, kv, head, end - kPageKeys, s);
}

void launch_index_append(simt::Stream stream, const IndexAppendArgs& a, int64_t rows) {
  const simt::Grid grid{static_cast<unsigned>(rows), static_cast<unsigned>(a.heads)};
  launch_early<index_append>(stream, {grid, kThreads, sizeof(Shared)}, a);
}

}  // namespace

template <>
void fill_index_append<simt::Target>(GpuKernels& kernels) {
  kernels.index_append = launch_index_append;
}

}  // namespace skald::gpu
