// Scores of keys of small integers against integer queries (act_q8.h), eight keys at a time. Four dimensions of each key are
// in a lane, so that lanes become scores without sums across them. Products are exact within a block; blocks are added in
// order. Bound in decode: read bandwidth of K for one query head; for groups the ports of dot products. Bytes take 20
// instructions per key of 128 dimensions and head, 8 of them by two ports, and 28 more per key.
#pragma once

#include "kernels/generic/scores.inl"

inline constexpr int kKeysOfTile = 8;

// Asks for the next keys, while a block of a tile is worked on.
template <class V, class B>
struct KeyTilesAhead {
  const RowScoresArgs& a;
  int64_t blocks = a.d / kActQ8Block, share = (kKeysOfTile + blocks - 1) / blocks;
  PageAhead<V> page{a.next, (a.n + kKeysOfTile - 1) / kKeysOfTile* blocks};
  KeysAhead<V, B> keys{a};

  [[gnu::always_inline]] inline void ask(int64_t i, int64_t b) {
    if (asks_for<V>(a.next)) return page.template ask<kKeysOfTile* static_cast<int64_t>(sizeof(B))>();
    for (int64_t k = i + b * share; k < i + (b + 1) * share && k < a.n && k < i + kKeysOfTile; ++k) keys.ask(k);
  }
};

// Up to kBlocks blocks of kKeysOfTile keys, in memory: their transposes overlap, and then the heads' products do.
template <class V, class B>
struct KeyTile {
  static constexpr int64_t kBlocks = 4;
  alignas(64) typename V::W codes[kBlocks][kKeysOfTile];  // j: dimensions 4j to 4j + 3 of key i in lane i
  alignas(64) typename V::D scales[kBlocks];

  // The block b of the keys' rows.
  [[gnu::always_inline]] void load(const std::byte* const* rows, int64_t b, int64_t to) {
    const auto block = [&](int i) __attribute__((always_inline))->const B& {
      return reinterpret_cast<const B*>(rows[i])[b];
    };
    uint16_t halves[kKeysOfTile];
    typename V::W x[2][4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      typename V::W both[2];
      load_beside<V>(block(i), block(i + 4), both);
      x[0][i] = both[0];
      x[1][i] = both[1];
      halves[i] = block(i).d;
      halves[i + 4] = block(i + 4).d;
    }
    scales[to] = V::scales(halves);
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      V::transpose_halves(x[h]);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) codes[to][4 * h + j] = x[h][j];
    }
  }
};

// sums[g] += scores of a tile's block and G queries, whose first byte and arrays (act_q8.h) begin at `q`.
template <class V, class B, int G>
[[gnu::always_inline]] inline void add_key_block(const typename V::W (&codes)[kKeysOfTile], typename V::D scales,
                                                 const int8_t* q, int64_t q_stride, int64_t d, int64_t b,
                                                 typename V::D (&sums)[G]) {
  using Dot = typename V::template Dot<B::kOffset, B::kMaxCode>;
  const ActQ8Row at(d);
  int32_t starts[G];
  typename Dot::Sum dots[G];
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
    starts[g] = reinterpret_cast<const int32_t*>(q + g * q_stride + at.starts)[b];
    dots[g] = Dot::start(starts[g]);
  }
  const auto add = [&](int j, const auto& four_of_keys) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) {
      int32_t four;
      std::memcpy(&four, q + g * q_stride + b * kActQ8Block + 4 * j, sizeof four);
      dots[g] = Dot::dot(dots[g], four_of_keys, V::set1_w(four));
      V::pin(dots[g]);
    }
    V::step_done();
  };
#pragma GCC unroll 8
  for (int j = 0; j < kKeysOfTile; ++j) {
    if constexpr (requires { Dot::keep_signs(codes[j]); })
      add(j, Dot::keep_signs(codes[j]));
    else
      add(j, codes[j]);
  }
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
    const float scale = reinterpret_cast<const float*>(q + g * q_stride + at.scales)[b];
    sums[g] = V::add_scaled(Dot::finish(dots[g], starts[g]), scales, scale, sums[g]);
  }
}

// Scores of the keys [i, i + n), n <= kKeysOfTile, and G heads from g0 on, over the blocks [first, first + blocks). Those of
// earlier blocks are in place.
template <class V, class B, int G>
[[gnu::always_inline]] inline void score_key_tile(const RowScoresArgs& a, const KeyTile<V, B>& keys, int64_t i, int64_t n,
                                                  int64_t g0, int64_t first, int64_t blocks) {
  const int8_t* q = static_cast<const int8_t*>(a.q) + g0 * a.q_stride;
  typename V::D sums[G];
  alignas(64) float all[kKeysOfTile];
  float* scores = a.scores + g0 * a.scores_stride + i;
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
    sums[g] = V::d_zero();
    if (first == 0) continue;
    std::memcpy(all, scores + g * a.scores_stride, static_cast<size_t>(n) * sizeof(float));
    sums[g] = V::d_load(all);
  }
  for (int64_t b = 0; b < blocks; ++b)
    add_key_block<V, B, G>(keys.codes[b], keys.scales[b], q, a.q_stride, a.d, first + b, sums);
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
    V::d_store(n == kKeysOfTile ? scores + g * a.scores_stride : all, sums[g]);
    if (n < kKeysOfTile) std::memcpy(scores + g * a.scores_stride, all, static_cast<size_t>(n) * sizeof(float));
  }
}

template <class V, class B>
void row_scores_int8(const RowScoresArgs& a) noexcept {
  KeyTilesAhead<V, B> ahead{a};
  KeyTile<V, B> keys;
  const int64_t all = a.d / kActQ8Block;
  for (int64_t i = 0; i < a.n; i += kKeysOfTile) {
    const int64_t n = a.n - i < kKeysOfTile ? a.n - i : kKeysOfTile;
    const std::byte* last[kKeysOfTile];
    const std::byte* const* rows = a.rows + i;
    if (n < kKeysOfTile) {
      for (int64_t k = 0; k < kKeysOfTile; ++k) last[k] = rows[k < n ? k : n - 1];
      rows = last;
    }
    for (int64_t first = 0; first < all; first += keys.kBlocks) {
      const int64_t blocks = all - first < keys.kBlocks ? all - first : keys.kBlocks;
      for (int64_t b = 0; b < blocks; ++b) {
        ahead.ask(i, first + b);
        keys.load(rows, first + b, b);
      }
      int64_t g = 0;
      for (; g + 4 <= a.group; g += 4) score_key_tile<V, B, 4>(a, keys, i, n, g, first, blocks);
      for (; g + 3 <= a.group; g += 3) score_key_tile<V, B, 3>(a, keys, i, n, g, first, blocks);
      for (; g < a.group; ++g) score_key_tile<V, B, 1>(a, keys, i, n, g, first, blocks);
    }
  }
}
