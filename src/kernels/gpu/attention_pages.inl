// Attention page by page, by the tensor cores: the 16 queries of a warp meet the 64 keys of a page. attention_parts.cu and
// attention_tiles.cu take these steps in one order, so that a row has the same bits in both: a page gives sums of its own,
// pages are joined in order to parts of four, and parts in order to the row's sums. Queries and weights are 16-bit floats.
#pragma once

#include "kernels/gpu/attention.h"
#include "kernels/gpu/attention_rows.inl"
#include "kernels/gpu/cache_blocks.inl"
#include "kernels/gpu/cached_halves.inl"
#include "kernels/gpu/seen_keys.inl"

namespace skald::gpu {

inline constexpr int kQueries = kTileHeads;  // of a warp
inline constexpr int kPartPages = kPartKeys / static_cast<int>(kPageKeys);
inline constexpr int kKeyTiles = kPageKeys / 8;  // of a page, as columns of a product
inline constexpr float kUnseen = -3.0e38f;       // the score of a key that a row does not see

// ---------------------------------------------------------------- sums of weighted values

/// Weights are 2^(score - top).
struct Weights {
  float top = kUnseen, total = 0;
};

/// What numbers of a sum, and of another that joins it, are multiplied by.
struct Shares {
  float mine, other;
};

SIMT_DEV Shares join(Weights& w, const Weights& other) {
  const float top = simt::largest(w.top, other.top);
  const Shares shares{simt::power_of_2(w.top - top), simt::power_of_2(other.top - top)};
  w.total = simt::fma1(other.total, shares.other, w.total * shares.mine);
  w.top = top;
  return shares;
}
SIMT_DEV float joined(float mine, float other, const Shares& shares) {
  return simt::fma1(other, shares.other, mine * shares.mine);
}

/// What a row's sums are multiplied by at last. A sink takes weight and gives nothing.
SIMT_DEV float last_factor(Weights w, const float* sink_logits, int64_t head) {
  if (!sink_logits) return 1 / w.total;
  const float sink = sink_logits[head] * simt::kLog2E, top = simt::largest(w.top, sink);
  const float shrink = simt::power_of_2(w.top - top);
  return shrink / simt::fma1(w.total, shrink, simt::power_of_2(sink - top));
}

// ---------------------------------------------------------------- where the rows, heads and keys of a block are

/// Heads of one KV head, side by side in a warp's queries.
struct HeadTile {
  int kv_head, first, n;
};
SIMT_DEV HeadTile head_tile(const AttentionArgs& a, int block) {
  const int kv_head = block / a.head_tiles, at = block % a.head_tiles * kQueries, group = static_cast<int>(a.group);
  return {kv_head, kv_head * group + at, at_most(group - at, kQueries)};
}

SIMT_DEV int sequence_of(const AttentionArgs& a, int64_t row) { return a.step.sequences[step_row(a, row)]; }

/// Rows of a sequence among neighbours, of which there are 64 at most. By whole warps.
SIMT_DEV int rows_alike(const AttentionArgs& a, int first, int end, int sequence) {
  int n = 0;
#pragma unroll
  for (int i = 0; i < kTileQueries; i += simt::kWarp) {
    const int row = first + i + simt::lane();
    n += simt::count_bits(simt::votes(row < end && sequence_of(a, row) == sequence));
  }
  return n;
}
/// Of a window's rows, so few of a sequence are better served by a block for each part of the keys.
SIMT_DEV bool are_few(const AttentionArgs& a, int n) { return n <= at_least(1, at_most(a.window_rows / 4, 4)); }

/// Slots of keys: those that are kept, which meet queries of their own, and the others. Parts begin at certain positions,
/// not slots, so that a row's bits do not depend on when pages before its window were given up.
struct Span {
  int begin = 0, end = 0;
  int first = 0;  // position of slot 0, as biases have it
  int lead = 0;   // likewise, as it is in the sequence
  // Parts of this many keys: the one of a slot, the first slot of one, and how many there are.
  SIMT_DEV int part_of(int slot, int keys) const { return (slot + lead) / keys; }
  SIMT_DEV int first_of(int part, int keys) const { return part * keys - lead; }
  SIMT_DEV int parts(int keys) const { return end > begin ? part_of(end - 1, keys) - part_of(begin, keys) + 1 : 0; }
};
SIMT_DEV Span span_of(const AttentionArgs& a, const SequenceKv& kv, int position, bool kept) {
  const SeenKeys seen = seen_keys(a.window, kv, position);
  if (kept) return {0, static_cast<int>(seen.kept), static_cast<int>(kv.dropped)};
  const auto shift = static_cast<int>(kv.shift);
  return {static_cast<int>(seen.begin), static_cast<int>(seen.end), shift, shift};
}

SIMT_DEV const std::byte* page_of_keys(const SequenceKv& kv, int head, int page) {
  return kv.k_pages[page] + kv.k_offset + head * kv.k_head_stride;
}
SIMT_DEV const std::byte* page_of_values(const SequenceKv& kv, int head, int page) {
  return kv.v_pages[page] + kv.v_offset + head * kv.v_head_stride;
}

// ---------------------------------------------------------------- tiles of 16-bit floats in shared memory

/// Where 16 bytes of a row lie in a tile of D columns: keys are read by 8 lanes of two rows, values by 8 rows at a time, and
/// both find eight different groups of banks. `eight`: a multiple of 8, which is added to the part; apart, since loops know
/// it when they are compiled.
template <int D>
SIMT_DEV simt::Words4* key_words(std::byte* tile, int row, int part, int eight = 0) {
  return reinterpret_cast<simt::Words4*>(tile) + row * (D / 8) + (part ^ (row & 1) * 4) + eight;
}
template <int D>
SIMT_DEV simt::Words4* value_words(std::byte* tile, int row, int part, int eight = 0) {
  return reinterpret_cast<simt::Words4*>(tile) + row * (D / 8) + (part ^ (row & 7)) + eight;
}

/// Brings 16 bytes of 16-bit floats to a tile: part `part` of a cached row, or zeros in place of what is not seen, since 0
/// times what is no number is none. Copies are asynchronous, where the cache has such floats.
template <class Cache>
SIMT_DEV void bring_words(simt::Words4* to, const CachedRow& row, int part, const RowShape& shape, bool seen) {
  seen = seen && part * 8 < shape.columns;
  if constexpr (Cache::kCopied)
    simt::copy_async16(to, row.data + part * 16, seen);
  else
    *to = seen ? Cache::load(row, part * 8, shape) : simt::Words4{};
}

/// Queries as floats in shared memory: n rows of D columns. `row(m)` gives where query m's numbers are. By all threads.
template <int D, class Row>
SIMT_DEV void stage_queries(const AttentionArgs& a, const SequenceKv& kv, int n, float* staged, Row row) {
  const auto d = static_cast<int>(a.d_k);
  const float factor = a.softcap > 0 ? a.scale : a.scale * simt::kLog2E;
  simt::sync_block();
  for (int i = simt::thread(); i < n * D; i += simt::threads()) {
    const int m = i / D, column = i % D;
    staged[i] = column < d ? row(m)[column] * factor : 0;
  }
  if (kv.k_rotated)
    for (int m = 0; m < n; ++m) hadamard(staged + m * D, cached_columns(kv.k_format, d));
  simt::sync_block();
}

// ---------------------------------------------------------------- products

/// A warp's queries as a product's A: in each 32 dimensions, rows g and g + 8, from dimension 8 t on. They are put down as
/// lanes read them. From staged ones, of which there are n; the others are zeros.
template <int D>
SIMT_DEV void store_queries(const float* staged, int first, int n, simt::Words4 (&to)[D / 32][2][simt::kWarp]) {
  const int g = simt::lane() / 4, t = simt::lane() % 4;
#pragma unroll
  for (int i = 0; i < D / 32; ++i)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int m = first + g + 8 * h;
      const float* x = staged + m * D + 32 * i + 8 * t;
      simt::Words4 words;
#pragma unroll
      for (int w = 0; w < 4; ++w) words.w[w] = m < n ? simt::pack_f16(x[2 * w], x[2 * w + 1]) : 0;
      to[i][h][simt::lane()] = words;
    }
}

/// c += 32 dimensions of the queries with those of 8 keys; x: of the lane's key, from dimension 8 t on.
SIMT_DEV void multiply_key_tile(float (&c)[4], const simt::Words4 (&q)[2], const simt::Words4& x) {
  simt::mma_f16(c, {q[0].w[0], q[1].w[0], q[0].w[1], q[1].w[1]}, {x.w[0], x.w[1]});
  simt::mma_f16(c, {q[0].w[2], q[1].w[2], q[0].w[3], q[1].w[3]}, {x.w[2], x.w[3]});
}

/// What a lane's two rows see; ALiBi's slope, and the distance of slot 0.
struct Sight {
  int begin[2] = {}, end[2] = {};
  float slope[2] = {};
  int distance[2] = {};

  SIMT_DEV void set(int h, const AttentionArgs& a, const Span& span, int position, int head) {
    begin[h] = span.begin;
    end[h] = span.end;
    distance[h] = span.first - position;
    if (a.slopes) slope[h] = a.slopes[head] * simt::kLog2E;
  }
};

// cap * tanh(x / cap), in powers of 2: short, and as exact as the products.
SIMT_DEV float capped(float x, float cap) {
  const float power = simt::power_of_2(x * (2 * simt::kLog2E / cap));
  return simt::kLog2E * (cap - 2 * cap / (1 + power));
}

/// Scores of 64 keys, the slots of which `slot(key)` gives, become weights, as 16-bit floats in words for the next product:
/// (16 keys, A). Scores are in powers of 2.
template <class Slot>
SIMT_DEV void weigh_keys(const AttentionArgs& a, const Sight& sight, Slot slot_of, float (&c)[kKeyTiles][4], Weights (&w)[2],
                         uint32_t (&p)[kKeyTiles / 2][4]) {
  const int t = simt::lane() % 4;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float top = kUnseen;
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int slot = slot_of(8 * j + 2 * t + e);
        float& x = c[j][2 * h + e];
        if (a.softcap > 0) x = capped(x, a.softcap);
        if (a.slopes) x = simt::fma1(sight.slope[h], static_cast<float>(slot + sight.distance[h]), x);
        x = slot >= sight.begin[h] && slot < sight.end[h] ? x : kUnseen;
        top = simt::largest(x, top);
      }
    top = simt::largest(top, simt::shuffle_xor(top, 1));
    top = simt::largest(top, simt::shuffle_xor(top, 2));
    float total = 0;
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float& x = c[j][2 * h + e];
        x = x == kUnseen ? 0 : simt::power_of_2(x - top);
        total += x;
      }
    total += simt::shuffle_xor(total, 1);
    total += simt::shuffle_xor(total, 2);
    w[h] = {top, total};
  }
#pragma unroll
  for (int i = 0; i < kKeyTiles / 2; ++i)
#pragma unroll
    for (int r = 0; r < 4; ++r) p[i][r] = simt::pack_f16(c[2 * i + r / 2][r % 2 * 2], c[2 * i + r / 2][r % 2 * 2 + 1]);
}

/// The sums of a page's values in kColumns columns from 16 `first` on, 8 at a time: put(column / 8 among these, as a
/// product's c).
template <int D, int kColumns, class Put>
SIMT_DEV void add_values(const uint32_t (&p)[kKeyTiles / 2][4], std::byte* tile, int first, Put put) {
  static_assert(kColumns == D || kColumns % 64 == 0);
#pragma unroll
  for (int n = 0; n < kColumns / 16; ++n) {
    float c[2][4] = {};
#pragma unroll
    for (int i = 0; i < kKeyTiles / 2; ++i) {
      uint32_t v[4];
      simt::load_matrix4_t(
          v, value_words<D>(tile, i * 16 + simt::lane() % 16, n % 4 * 2 + simt::lane() / 16, n / 4 * 8 + first * 2));
      simt::mma_f16(c[0], p[i], {v[0], v[1]});
      simt::mma_f16(c[1], p[i], {v[2], v[3]});
    }
    put(2 * n, c[0]);
    put(2 * n + 1, c[1]);
  }
}

/// Calls f.operator()<Cache, D>() for the widths of heads that there are kernels for, and formats.
template <class Cache, class F>
void for_each_width(F f) {
  f.template operator()<Cache, 64>();
  f.template operator()<Cache, 128>();
  f.template operator()<Cache, 256>();
}
template <class F>
void for_each_attention(F f) {
  for_each_width<HalvesF16>(f);
  for_each_width<HalvesQ8_0>(f);
  for_each_width<HalvesQ4_0>(f);
}

}  // namespace skald::gpu
